import Offers
import Testing

/// A customer, an offer, and what must come out, with the reason for it in words.
struct Row: CustomTestStringConvertible, Sendable {
    let why: String
    let history: SubscriptionHistory?
    let product: String
    let offer: String
    let expected: Reason
    let account: Account

    init(
        _ why: String,
        _ history: SubscriptionHistory?,
        _ offer: String,
        _ expected: Reason,
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

    var testDescription: String { why }
}
