/// How an offer is paid (`SKProductDiscount.PaymentMode`); the raw values are StoreKit's.
public enum PaymentMode: Int, CaseIterable, Sendable {
    /// The offer's price is paid for each of several billing periods.
    case payAsYouGo = 0
    /// The offer's price is paid once for all of its time.
    case payUpFront = 1
    /// Nothing is paid.
    case freeTrial = 2
}
