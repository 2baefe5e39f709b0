/// The forms that a signed offer can have; the raw values are those of a request's `formats`.
public enum SignatureFormat: String, CaseIterable, Sendable {
    /// For `SKPaymentDiscount` and StoreKit 2's `promotionalOffer` with five arguments.
    case discount
    /// For StoreKit 2's `compactJWS` arguments.
    case jws
}
