public import AsyncHTTPClient
import FoundationEssentials
import NIOCore

/// A running Offer Signer, as an app's backend asks it.
///
/// ```swift
/// let offers = try OfferSigner(url: "https://offers.internal", token: token)
/// let answer = try await offers.signatures(request)
/// ```
///
/// It is a value: copy it, keep it, use it from any number of tasks. It logs nothing, and the token is in no description
/// of it and in no error.
public struct OfferSigner: Sendable {
    let address: ServiceAddress
    let token: BearerToken
    let httpClient: HTTPClient
    private(set) var retries: RetryPolicy
    /// Waits between two attempts; tests do not.
    let pause: @Sendable (Duration) async throws -> Void

    /// Creates a client; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - url: The service's address, such as `https://offers.internal` or `http://127.0.0.1:8080`; it may have a path.
    ///   - token: This backend's bearer token, as `offer-signer clients token` printed it.
    ///   - httpClient: Sends the requests. By default one that all of these clients share: it follows no redirect,
    ///     fails at once if nobody listens, and needs no shutdown.
    ///   - retries: How often, and for how long, a call is tried.
    /// - Throws: `OfferSignerError.invalidArgument` where the address or the token cannot be one.
    public init(
        url: String,
        token: String,
        httpClient: HTTPClient? = nil,
        retries: RetryPolicy = RetryPolicy()
    ) throws(OfferSignerError) {
        try self.init(url: url, token: token, httpClient: httpClient, retries: retries) {
            try await Task.sleep(for: $0)
        }
    }

    init(
        url: String,
        token: String,
        httpClient: HTTPClient? = nil,
        retries: RetryPolicy = RetryPolicy(),
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) throws(OfferSignerError) {
        self.address = try ServiceAddress(url)
        self.token = try BearerToken(token)
        self.httpClient = httpClient ?? Self.sharedHTTPClient
        self.retries = retries
        self.pause = pause
    }

    /// The same client, for a call that the service answers so much later.
    func waiting(_ time: Duration) -> OfferSigner {
        var patient = self
        patient.retries = RetryPolicy(
            maximumAttempts: retries.maximumAttempts,
            deadline: retries.deadline + time,
            attemptTimeout: retries.attemptTimeout + time
        )
        return patient
    }

    private static let sharedHTTPClient: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(3))
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension OfferSigner: CustomStringConvertible, CustomReflectable {
    /// The service's address.
    public var description: String { "OfferSigner at \(address.url(""))" }

    /// Shows nothing of the inside: the connections know the requests under way, and so the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OfferSigner {
    /// Asks for promotional offers to be decided, and signed where the customer may have them
    /// (`POST /v1/signatures`).
    ///
    /// A call whose answer was lost is asked again. With an `idempotencyKey` the service then gives the same answer, and
    /// nothing counts twice. Without one each answer has nonces of its own, so nothing is used twice, and signatures that
    /// nobody received expire after 24 hours; but where the catalog limits how many signatures a customer may have, each
    /// attempt whose answer was lost may cost one for each offer.
    ///
    /// - Parameters:
    ///   - request: The account, the offers, and the evidence; without `explain` where there is an `idempotencyKey`.
    ///   - idempotencyKey: A name for this request, such as a UUID, which is new for each purchase: 1 to 255 visible
    ///     characters of ASCII. For an hour the same key and request get the same answer, also by another client value.
    /// - Returns: A decision for each offer, in the order asked.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func signatures(
        _ request: SignatureRequest,
        idempotencyKey: String? = nil
    ) async throws(OfferSignerError) -> SignatureAnswer {
        try await send(Call(post: "/v1/signatures", body: try request.body(), idempotencyKey: idempotencyKey))
    }

    /// Asks for introductory offers to be decided, and the decisions signed for StoreKit 2
    /// (`POST /v1/introductory-eligibility-signatures`).
    ///
    /// A call whose answer was lost is asked again, as for ``signatures(_:idempotencyKey:)``.
    ///
    /// - Parameters:
    ///   - request: The account, the products, and the evidence; without `explain` where there is an `idempotencyKey`.
    ///   - idempotencyKey: A name for this request, as for ``signatures(_:idempotencyKey:)``.
    /// - Returns: A decision for each product, in the order asked.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func introductoryEligibilitySignatures(
        _ request: IntroductorySignatureRequest,
        idempotencyKey: String? = nil
    ) async throws(OfferSignerError) -> IntroductorySignatureAnswer {
        let path = "/v1/introductory-eligibility-signatures"
        return try await send(Call(post: path, body: try request.body(), idempotencyKey: idempotencyKey))
    }

    /// Asks for decisions without signatures, about promotional and introductory offers (`POST /v1/eligibility`).
    ///
    /// - Parameter request: The account, the offers, and the evidence.
    /// - Returns: A decision for each offer, and for each product's introductory offer.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func eligibility(_ request: EligibilityRequest) async throws(OfferSignerError) -> EligibilityAnswer {
        try await send(Call(post: "/v1/eligibility", body: try request.body(), repeats: .always))
    }

    /// Asks why StoreKit refused a signature (`POST /v1/diagnoses`).
    ///
    /// - Parameter report: What the app gave StoreKit.
    /// - Returns: The causes, most likely first.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func diagnose(_ report: SignatureReport) async throws(OfferSignerError) -> Diagnosis {
        try await send(Call(post: "/v1/diagnoses", body: try JSON.bytes(of: report), repeats: .always))
    }

    /// Asks why a JWS was refused, or brought no offer (`POST /v1/diagnoses`).
    ///
    /// - Parameter report: What the app gave StoreKit, and what came of it.
    /// - Returns: The causes, most likely first.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func diagnose(_ report: JWSReport) async throws(OfferSignerError) -> Diagnosis {
        try await send(Call(post: "/v1/diagnoses", body: try JSON.bytes(of: report), repeats: .always))
    }

    /// Passes on what StoreKit shows clients: prices and offers of products (`POST /v1/product-reports`).
    ///
    /// A report whose answer was lost is not sent again, since the service counts how often each price was seen.
    ///
    /// - Parameters:
    ///   - reports: The reports, at most 1000.
    ///   - bundleId: The app; may be left out by a client of one app.
    /// - Returns: How many were taken, and which were not.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    @discardableResult
    public func report(
        _ reports: [ProductReport],
        bundleId: String? = nil
    ) async throws(OfferSignerError) -> ProductReportAnswer {
        let path = address.path("/v1/product-reports", query: [("bundleId", bundleId)])
        return try await send(Call(post: path, body: try JSON.bytes(of: reports), repeats: .whenRefused))
    }

    /// Asks what is known of products in a country, for a landing page (`GET /v1/products`).
    ///
    /// - Parameters:
    ///   - productIds: The products; none for all that are known.
    ///   - countryCode: The country by ISO 3166-1, such as `DE` or `DEU`.
    ///   - bundleId: The app; may be left out by a client of one app.
    /// - Returns: Prices and offers with when they were seen.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func products(
        _ productIds: [String] = [],
        countryCode: String,
        bundleId: String? = nil
    ) async throws(OfferSignerError) -> ProductOverview {
        let query = [("bundleId", bundleId), ("countryCode", countryCode)] + productIds.map { ("productId", $0) }
        return try await send(Call(get: address.path("/v1/products", query: query)))
    }
}
