import Offers
import Testing

typealias Row = CustomerRow<Reason>

/// A customer, an offer, and what must come out, with the reason for it in words.
struct CustomerRow<Expected: Sendable>: CustomTestStringConvertible, Sendable {
    let why: String
    let expected: Expected
    let offer: String
    let product: String
    let account: Account
    private(set) var history: Shown?

    init(
        _ why: String,
        _ expected: Expected,
        _ offer: String = "anyone",
        product: String = "pro.monthly",
        account: Account = .none
    ) { (self.why, self.expected, self.offer, self.product, self.account) = (why, expected, offer, product, account) }

    /// The row with what the evidence shows; without, there is none.
    func when(_ history: Shown?) -> Self {
        var row = self
        row.history = history
        return row
    }

    /// The same by the parts of ``history(_:_:of:from:asOf:coverage:)``.
    func when(
        _ renewals: [RenewalInfo],
        _ transactions: [Transaction],
        of app: String? = "com.example.reader",
        from environment: AppStoreEnvironment? = .production,
        asOf date: Timestamp? = clock,
        coverage: HistoryCoverage = .complete
    ) -> Self {
        when(OffersTests.history(renewals, transactions, of: app, from: environment, asOf: date, coverage: coverage))
    }

    var testDescription: String { why }
}

extension Row {
    func decision(maximumAge: Int64 = 86_400, explaining: Bool = false) -> Decision {
        var policy = examplePolicy(history, for: account, maximumAge: maximumAge)
        return policy.decide(OfferRequest(productId: product, offerId: offer), explaining: explaining)
    }
}
