/// A signed offer in the form of `SKPaymentDiscount`.
///
/// Pass it on to the app as it is: it is written as it was read.
public struct Discount: Codable, Equatable, Sendable {
    /// The offer.
    public let identifier: String
    /// The key that signed.
    public let keyIdentifier: String
    /// The nonce: a UUID in lowercase, for one buy request.
    ///
    /// It is text, because Foundation writes a UUID in uppercase, which is not what was signed.
    public let nonce: String
    /// When it was signed, in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature in Base64: StoreKit 1 takes the text, StoreKit 2 the bytes.
    public let signature: String
}
