import OfferService
import Offers
import StrictJSON

/// The body of a call that the main use case answers, and its way there and back.
protocol OfferCall {
    /// What a client has to be allowed.
    static var scope: ClientScope { get }
    /// The app; `nil` where it was left out.
    var bundleId: String? { get }
    /// What shows what the customer has.
    var evidence: Evidence? { get }
    /// How many signatures it asks for, which the client's rate counts.
    var signatureCount: Int { get }

    /// Reads the body of a call.
    ///
    /// - Parameter json: The body.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    init(json: [UInt8]) throws(JSONFault)

    /// Has the call answered.
    ///
    /// - Parameters:
    ///   - client: The client that calls.
    ///   - bundleId: The app, which the client may ask for.
    ///   - signOffers: The use case.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `SignatureFault` when there is no answer.
    func answer(
        for client: Client,
        of bundleId: String,
        by signOffers: SignOffers
    ) async throws(SignatureFault) -> [UInt8]
}

extension SignatureCall: OfferCall {
    static var scope: ClientScope { .sign }
    var signatureCount: Int { offers.count }

    func answer(
        for client: Client,
        of bundleId: String,
        by signOffers: SignOffers
    ) async throws(SignatureFault) -> [UInt8] {
        let answer = try await signOffers.answer(request(of: client, for: bundleId))
        return signOffers.metrics.rooms.measure(.encode) { answer.json }
    }

    /// The request to the use case.
    ///
    /// - Parameters:
    ///   - client: The client that calls.
    ///   - bundleId: The app, which the client may ask for.
    /// - Returns: The request.
    func request(of client: Client, for bundleId: String) -> SignatureRequest {
        SignatureRequest(
            client: client.name,
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            offers: offers,
            formats: formats,
            explain: explain
        )
    }
}

extension EligibilityCall: OfferCall {
    static var scope: ClientScope { .eligibility }
    var signatureCount: Int { 0 }

    func answer(
        for client: Client,
        of bundleId: String,
        by signOffers: SignOffers
    ) async throws(SignatureFault) -> [UInt8] {
        let answer = try await signOffers.eligibility(request(for: bundleId))
        return signOffers.metrics.rooms.measure(.encode) { answer.json }
    }
}

extension EligibilityCall {
    /// The request to the use case.
    ///
    /// - Parameter bundleId: The app, which the client may ask for.
    /// - Returns: The request.
    func request(for bundleId: String) -> EligibilityRequest {
        EligibilityRequest(
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            offers: offers,
            products: products,
            explain: explain
        )
    }
}

extension IntroductorySignatureCall: OfferCall {
    static var scope: ClientScope { .sign }
    var signatureCount: Int { products.count }

    func answer(
        for client: Client,
        of bundleId: String,
        by signOffers: SignOffers
    ) async throws(SignatureFault) -> [UInt8] {
        let request = IntroductorySignatureRequest(
            client: client.name,
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            products: products,
            transactionId: transactionId,
            allowIntroductoryOffer: allowIntroductoryOffer,
            explain: explain
        )
        let answer = try await signOffers.introductoryEligibility(request)
        return signOffers.metrics.rooms.measure(.encode) { answer.json }
    }
}
