/// The forms of a signature in the ledger; the raw values are those of its records.
public enum SignatureForm: String, CaseIterable, Sendable {
    /// A promotional offer, for an `SKPaymentDiscount`.
    case discount
    /// A promotional offer, as a JWS.
    case jws
    /// That the customer may have the introductory offer, as a JWS.
    case introductoryAllowed
    /// That the customer may not have the introductory offer, as a JWS.
    case introductoryRefused
}
