public import OfferService

/// Everything that clients call, by one configuration: a request asks for it once, so that a reload never changes
/// anything within a request.
///
/// It is a class so that asking for it copies nothing.
public final class PublicEndpoints: Sendable {
    /// Who may call.
    public let clients: ClientDirectory
    /// `POST /v1/signatures`.
    let signatures: SignaturesEndpoint
    /// `POST /v1/eligibility`.
    let eligibility: EligibilityEndpoint
    /// `POST /v1/introductory-eligibility-signatures`.
    let introductorySignatures: IntroductorySignaturesEndpoint
    /// `POST /v1/product-reports` and `GET /v1/products`.
    let productReports: ProductReportsEndpoint
    /// `POST /v1/diagnoses`.
    let diagnoses: DiagnosesEndpoint

    /// Puts the use cases behind their routes.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: Decides and signs.
    ///   - productReports: Takes and gives what StoreKit shows.
    ///   - diagnoseReports: Finds out why StoreKit refused a signature.
    public init(
        clients: ClientDirectory,
        signOffers: SignOffers,
        productReports: ProductReports,
        diagnoseReports: DiagnoseReports
    ) {
        self.clients = clients
        signatures = SignaturesEndpoint(clients: clients, signOffers: signOffers)
        eligibility = EligibilityEndpoint(clients: clients, signOffers: signOffers)
        introductorySignatures = IntroductorySignaturesEndpoint(clients: clients, signOffers: signOffers)
        self.productReports = ProductReportsEndpoint(clients: clients, reports: productReports)
        diagnoses = DiagnosesEndpoint(clients: clients, diagnoseReports: diagnoseReports)
    }
}
