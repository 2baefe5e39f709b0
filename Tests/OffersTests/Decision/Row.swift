import Offers
import Testing

typealias Row = CustomerRow<Reason>

/// A customer, an offer, and what must come out, with the reason for it in words.
struct CustomerRow<Expected: Sendable>: CustomTestStringConvertible, Sendable {
    let why: String
    let history: Shown?
    let product: String
    let offer: String
    let expected: Expected
    let account: Account

    init(
        _ why: String,
        history: Shown?,
        _ expected: Expected,
        _ offer: String = "anyone",
        product: String = "pro.monthly",
        account: Account = .none
    ) {
        self.why = why
        self.history = history
        self.product = product
        self.offer = offer
        self.expected = expected
        self.account = account
    }

    /// A customer by the parts of ``history(_:_:of:from:asOf:coverage:)``.
    init(
        _ why: String,
        _ renewals: [RenewalInfo],
        _ transactions: [Transaction],
        of bundleId: String? = "com.example.reader",
        from environment: AppStoreEnvironment? = .production,
        asOf date: Timestamp? = clock,
        coverage: HistoryCoverage = .complete,
        _ expected: Expected,
        _ offer: String = "anyone",
        product: String = "pro.monthly",
        account: Account = .none
    ) {
        let shown = OffersTests.history(
            renewals,
            transactions,
            of: bundleId,
            from: environment,
            asOf: date,
            coverage: coverage
        )
        self.init(why, history: shown, expected, offer, product: product, account: account)
    }

    var testDescription: String { why }
}

extension Row {
    func decision(maximumAge: Int64 = 86_400, explaining: Bool = false) -> Decision {
        var policy = examplePolicy(history, for: account, maximumAge: maximumAge)
        return policy.decide(OfferRequest(productId: product, offerId: offer), explaining: explaining)
    }
}
