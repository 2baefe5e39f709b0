import NIOHTTP1

/// The calls of the public listener, with all that a request's head has to match: path, method, scope, parameters.
enum PublicRoute: String, CaseIterable {
    case signatures = "/v1/signatures"
    case eligibility = "/v1/eligibility"
    case introductorySignatures = "/v1/introductory-eligibility-signatures"
    case diagnoses = "/v1/diagnoses"
    case productReports = "/v1/product-reports"
    case products = "/v1/products"
    case description = "/v1/openapi.json"

    /// The call that a request is for.
    ///
    /// - Parameter head: The request's head, its target in origin or absolute form (RFC 9112 §3.2); `nil` where there is no
    ///   such call.
    init?(_ head: RequestHead) {
        let target = head.target
        // Nearly always the target is the path.
        if let route = Self(rawValue: target) { self = route } else { self.init(rawValue: head.path ?? "") }
    }

    /// The path.
    var path: String { rawValue }

    /// The method that it is for.
    var method: HTTPMethod {
        switch self {
        case .products, .description: .GET
        case .signatures, .eligibility, .introductorySignatures, .diagnoses, .productReports: .POST
        }
    }

    /// Whether it signs, so that its answer waits for the ledger.
    var isForSignatures: Bool { self == .signatures || self == .introductorySignatures }

    /// The scope that a client needs; `nil` where a token is not asked for.
    var scope: ClientScope? {
        switch self {
        case .signatures, .introductorySignatures: .sign
        case .eligibility: .eligibility
        case .diagnoses: .diagnose
        case .productReports, .products: .report
        case .description: nil
        }
    }

    /// The parameters that its URL may have.
    var parameters: [String] {
        switch self {
        case .products: ["bundleId", "countryCode", "productId"]
        case .productReports: ["bundleId"]
        case .signatures, .eligibility, .introductorySignatures, .diagnoses, .description: []
        }
    }

    /// Whether its body may be large: with evidence, or with many reports.
    var takesMuch: Bool {
        switch self {
        case .signatures, .eligibility, .introductorySignatures, .productReports: true
        case .diagnoses, .products, .description: false
        }
    }
}
