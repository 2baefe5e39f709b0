public import OfferService

/// What is answered on one event loop, by one configuration.
///
/// It is a class so that asking for it copies nothing.
public final class LoopEndpoints: Sendable {
    /// Who may call.
    let clients: ClientDirectory
    /// `POST /v1/signatures`.
    let signatures: SignaturesEndpoint
    /// `POST /v1/eligibility`.
    let eligibility: EligibilityEndpoint

    /// Puts the use case behind its routes.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: Decides and signs.
    public init(clients: ClientDirectory, signOffers: SignOffers) {
        self.clients = clients
        signatures = SignaturesEndpoint(clients: clients, signOffers: signOffers)
        eligibility = EligibilityEndpoint(clients: clients, signOffers: signOffers)
    }
}
