/// How often one customer may get an offer signed.
public struct SignatureLimit: Equatable, Sendable {
    /// The most signatures for one customer within the period.
    public let maximumSignaturesPerCustomer: Int
    /// The period, in days of 24 hours.
    public let periodDays: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - maximumSignaturesPerCustomer: The most signatures for one customer within the period.
    ///   - periodDays: The period, in days of 24 hours.
    public init(maximumSignaturesPerCustomer: Int, periodDays: Int = 30) {
        self.maximumSignaturesPerCustomer = maximumSignaturesPerCustomer
        self.periodDays = periodDays
    }

    /// From when on signatures count.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The moment after which they count.
    public func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}
