/// Whether evidence is too old.
enum EvidenceAge {
    /// Whether evidence is older than a limit.
    ///
    /// - Parameters:
    ///   - limit: The limit in seconds; 0 for none.
    ///   - date: The evidence's date; what has none is never too old by it.
    ///   - now: The server's clock.
    /// - Returns: `true` when it is.
    static func isOver(_ limit: Int64, of date: Timestamp?, at now: Timestamp) -> Bool {
        guard limit > 0, let date else { return false }
        return date.adding(seconds: limit) < now
    }
}
