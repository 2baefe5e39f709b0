import Offers

/// The place of a payment in a 12-month commitment (`commitmentInfo` of a signed transaction).
struct Commitment: Equatable, Sendable {
    /// How many payments a commitment has (`totalBillingPeriods`).
    static let billingPeriods = 12

    /// Which of the payments it is, from 1 (`billingPeriodNumber`).
    let number: Int
    /// What all payments cost, in thousandths of the currency's unit (`commitmentPrice`).
    let price: Int64
    /// When the last of the payments ends (`commitmentExpiresDate`).
    let expires: Timestamp

    /// The place of the payment that ends at a moment: a late payment moves the end of the commitment with it.
    init(number: Int, price: Int64, periodEnds end: Timestamp) {
        self.number = number
        self.price = price
        expires = SubscriptionPeriod.month.after(end, times: Self.billingPeriods - number)
    }

    /// Whether it is the last payment.
    var isLast: Bool { number >= Self.billingPeriods }
}
