import HTTPTypes
public import OfferService
public import Offers
import StrictJSON

/// `POST /v1/signatures`, without the transport: plain functions from a request's head and body to the answer's body.
public struct SignaturesEndpoint<Signer: OfferSigner, Reader: EvidenceReader>: Sendable {
    private let clients: ClientDirectory
    private let signOffers: SignOffers<Signer, Reader>

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: The use case behind it.
    public init(clients: ClientDirectory, signOffers: SignOffers<Signer, Reader>) {
        self.clients = clients
        self.signOffers = signOffers
    }

    /// Decides by the head alone whether the body is worth reading.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403 or 415.
    func admit(_ head: HTTPRequest) throws(Problem) -> Client {
        try clients.admitJSON(head, for: .sign)
    }

    /// Answers a call, asking the App Store where the evidence is not at hand.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 403, 422 or 503.
    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8] {
        let request = try request(body, for: client)
        do {
            let answer = try await signOffers.answer(request)
            return signOffers.metrics.rooms.measure(.encode) { answer.json }
        } catch {
            throw Problem(error, evidence: request.evidence?.kind)
        }
    }

    /// Reads a call's body, and looks whether the client may ask for that.
    private func request(_ body: [UInt8], for client: Client) throws(Problem) -> SignatureRequest {
        let call: SignatureCall
        do {
            call = try signOffers.metrics.rooms.measure(.decode) { () throws(JSONFault) in try SignatureCall(json: body)
            }
        } catch {
            throw Problem(error)
        }
        let bundleId = try client.app(named: call.bundleId)
        if let kind = call.evidence?.kind, !client.evidence.contains(kind) { throw .evidenceNotAllowed(kind) }
        try clients.take(signatures: call.offers.count, for: client)
        return SignatureRequest(
            client: client.name,
            bundleId: bundleId,
            account: call.account,
            evidence: call.evidence,
            offers: call.offers,
            formats: call.formats,
            explain: call.explain
        )
    }
}
