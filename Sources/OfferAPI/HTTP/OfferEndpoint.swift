import HTTPTypes
import OfferService
import Offers
import StrictJSON

/// `POST /v1/signatures`.
typealias SignaturesEndpoint<Signer: OfferSigner, Reader: EvidenceReader> = OfferEndpoint<
    SignatureCall, Signer, Reader
>
/// `POST /v1/eligibility`.
typealias EligibilityEndpoint<Signer: OfferSigner, Reader: EvidenceReader> = OfferEndpoint<
    EligibilityCall, Signer, Reader
>
/// `POST /v1/introductory-eligibility-signatures`.
typealias IntroductorySignaturesEndpoint<Signer: OfferSigner, Reader: EvidenceReader> = OfferEndpoint<
    IntroductorySignatureCall, Signer, Reader
>

/// A call that the main use case answers, asking the App Store where the evidence is not at hand.
struct OfferEndpoint<Call: OfferCall, Signer: OfferSigner, Reader: EvidenceReader>: BodyEndpoint {
    private let clients: ClientDirectory
    private let signOffers: SignOffers<Signer, Reader>

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: The use case behind it.
    init(clients: ClientDirectory, signOffers: SignOffers<Signer, Reader>) {
        self.clients = clients
        self.signOffers = signOffers
    }

    func admit(_ head: HTTPRequest) throws(Problem) -> Client {
        try clients.admitJSON(head, for: Call.scope)
    }

    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8] {
        let call = try call(body)
        let bundleId = try client.app(named: call.bundleId)
        if let kind = call.evidence?.kind, !client.evidence.contains(kind) { throw .evidenceNotAllowed(kind) }
        if call.signatureCount > 0 { try clients.take(signatures: call.signatureCount, for: client) }
        do {
            return try await call.answer(for: client, of: bundleId, by: signOffers)
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    private func call(_ body: [UInt8]) throws(Problem) -> Call {
        do {
            return try signOffers.metrics.rooms.measure(.decode) { () throws(JSONFault) in try Call(json: body) }
        } catch {
            throw Problem(error)
        }
    }
}
