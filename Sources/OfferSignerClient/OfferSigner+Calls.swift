import FoundationEssentials

extension OfferSigner {
    /// Asks for promotional offers to be decided, and signed where the customer may have them
    /// (`POST /v1/signatures`).
    ///
    /// A call whose answer was lost is asked again. That is harmless: each answer has nonces of its own, so nothing is
    /// used twice, and signatures that nobody received expire after 24 hours. They count, though: where the catalog
    /// limits how many signatures a customer may have, each attempt whose answer was lost may cost one for each offer.
    ///
    /// - Parameter request: Who asks for what, with the evidence.
    /// - Returns: A decision for each offer, in the order asked.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func signatures(_ request: SignatureRequest) async throws(OfferSignerError) -> SignatureAnswer {
        try await send(Call(post: "/v1/signatures", body: try request.body(), repeats: .always))
    }

    /// Asks for introductory offers to be decided, and the decisions signed for StoreKit 2
    /// (`POST /v1/introductory-eligibility-signatures`).
    ///
    /// A call whose answer was lost is asked again, as for ``signatures(_:)``.
    ///
    /// - Parameter request: Who asks about which products, with the evidence.
    /// - Returns: A decision for each product, in the order asked.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func introductoryEligibilitySignatures(
        _ request: IntroductorySignatureRequest
    ) async throws(OfferSignerError) -> IntroductorySignatureAnswer {
        let path = "/v1/introductory-eligibility-signatures"
        return try await send(Call(post: path, body: try request.body(), repeats: .always))
    }

    /// Asks for decisions without signatures, about promotional and introductory offers (`POST /v1/eligibility`).
    ///
    /// - Parameter request: Who asks about what, with the evidence.
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
