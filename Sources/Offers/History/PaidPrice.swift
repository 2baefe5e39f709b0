/// What was paid for a transaction, as Apple signs it (`price` and `currency` of `JWSTransactionDecodedPayload`).
public struct PaidPrice: Hashable, Sendable {
    /// The amount in thousandths of the currency's unit.
    public let milliunits: Int64
    /// The currency's code of ISO 4217, as Apple writes it.
    public let currency: String

    /// Creates a price.
    ///
    /// - Parameters:
    ///   - milliunits: The amount in thousandths of the currency's unit.
    ///   - currency: The currency's code of ISO 4217.
    public init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }
}
