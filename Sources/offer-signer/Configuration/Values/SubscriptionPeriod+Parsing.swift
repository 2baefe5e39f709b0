import Offers

extension SubscriptionPeriod {
    /// Reads an ISO 8601 duration of one unit.
    ///
    /// - Parameter text: The duration, such as `P1M`.
    /// - Throws: ``ValueFault`` when it is none.
    init(parsingISO8601 text: String) throws(ValueFault) {
        guard let period = SubscriptionPeriod(iso8601: text) else {
            throw ValueFault(
                "\(Echo.quoted(text)) is no ISO 8601 duration of one unit; write one such as P1W, P1M, P6M or P1Y"
            )
        }
        self = period
    }
}
