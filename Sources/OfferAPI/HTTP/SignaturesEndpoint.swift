import HTTPTypes
public import OfferService
public import Offers
import StrictJSON

/// `POST /v1/signatures`, without the transport: plain functions from a request's head and body to the answer's body.
public struct SignaturesEndpoint<Signer: OfferSigner, Reader: EvidenceReader>: Sendable {
    /// How many bytes a body may have: evidence is sent here.
    static var maximumBodyBytes: Int { 1 << 20 }

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
    /// - Throws: `Problem` 401, 403, 413 or 415.
    func admit(_ head: HTTPRequest) throws(Problem) -> Client {
        try clients.admit(head, for: .sign, maximumBodyBytes: Self.maximumBodyBytes)
    }

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 403, 422 or 503.
    func answer(_ body: [UInt8], for client: Client) throws(Problem) -> [UInt8] {
        let call: SignatureCall
        do {
            call = try SignatureCall(json: body)
        } catch {
            throw Problem(error)
        }
        let bundleId = try client.app(named: call.bundleId)
        if let kind = call.evidence?.kind, !client.evidence.contains(kind) { throw .evidenceNotAllowed(kind) }
        let request = SignatureRequest(
            bundleId: bundleId,
            account: call.account,
            evidence: call.evidence,
            offers: call.offers,
            explain: call.explain
        )
        do {
            return try signOffers.answer(request).json
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }
}
