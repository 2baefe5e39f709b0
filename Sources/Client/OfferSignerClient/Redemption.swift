public import FoundationEssentials

/// A page of the redemptions of an app, in the order in which they became known.
public struct RedemptionPage: Codable, Equatable, Sendable {
    /// The redemptions; none where there is nothing new.
    public let redemptions: [Redemption]
    /// The cursor to go on from: store it together with the page's redemptions.
    public let next: String
}

/// A promotional offer that a customer took.
public struct Redemption: Codable, Equatable, Sendable {
    /// The offer.
    public let offerId: String
    /// The product that it is on.
    public let productId: String
    /// The environment, such as `Production` or `Sandbox`.
    public let environment: String
    /// The subscription.
    public let originalTransactionId: String
    /// The first transaction under the offer; `nil` until it begins.
    public let transactionId: String?
    /// When the customer took it; `nil` where the evidence does not say.
    public let redeemedAt: Date?
    /// When it begins: `now` or `next_renewal`.
    public let begins: String
    /// The price of the first transaction, a decimal; `nil` unless Apple signed it.
    public let price: String?
    /// The currency by ISO 4217.
    public let currency: String?
    /// The App Store's country by ISO 3166-1 alpha-3.
    public let storefront: String?
    /// The nonce of the signature that made it possible; `nil` where the ledger has none.
    public let nonce: String?
    /// Who showed it: `apple`, or `receiptResponse` for a client's answer of verifyReceipt alone.
    public let from: String
}

extension OfferSigner {
    /// Asks which offers customers took (`GET /v1/redemptions`).
    ///
    /// Each redemption comes at least once: it is known again by its subscription, offer and time.
    ///
    /// - Parameters:
    ///   - cursor: The ``RedemptionPage/next`` of the page before; `nil` for the first page.
    ///   - limit: The most redemptions of the page, 1 to 1000.
    ///   - wait: How many seconds to wait if there is nothing new, at most 30.
    ///   - bundleId: The app; may be left out by a client of one app.
    /// - Returns: The redemptions, and where to go on.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func redemptions(
        after cursor: String? = nil,
        limit: Int = 100,
        wait: Int = 0,
        bundleId: String? = nil
    ) async throws(OfferSignerError) -> RedemptionPage {
        try await redemptions(from: ("after", cursor), limit, wait, bundleId)
    }

    /// Asks which offers customers took since a moment, such as a week ago (`GET /v1/redemptions?since=…`).
    ///
    /// It is for a first page: go on with its ``RedemptionPage/next``, as later pages do.
    ///
    /// - Parameters:
    ///   - since: The page begins at the first redemption that the service stored since then; it is sent in whole seconds.
    ///   - limit: The most redemptions of the page, 1 to 1000.
    ///   - wait: How many seconds to wait if there is nothing new, at most 30.
    ///   - bundleId: The app; may be left out by a client of one app.
    /// - Returns: The redemptions, and where to go on.
    /// - Throws: `OfferSignerError` where the request has no answer at all.
    public func redemptions(
        since: Date,
        limit: Int = 100,
        wait: Int = 0,
        bundleId: String? = nil
    ) async throws(OfferSignerError) -> RedemptionPage {
        try await redemptions(from: ("since", since.formatted(.iso8601)), limit, wait, bundleId)
    }

    private func redemptions(
        from start: (String, String?),
        _ limit: Int,
        _ wait: Int,
        _ bundleId: String?
    ) async throws(OfferSignerError) -> RedemptionPage {
        let query = [("bundleId", bundleId), start, ("limit", "\(limit)"), ("wait", "\(wait)")]
        return try await waiting(.seconds(max(wait, 0))).send(Call(get: address.path("/v1/redemptions", query: query)))
    }
}
