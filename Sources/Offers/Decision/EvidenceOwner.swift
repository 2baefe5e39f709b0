/// Whether evidence is of the account that is asked for.
enum EvidenceOwner {
    /// Whether the evidence names accounts, and none of them is the one asked for.
    ///
    /// - Parameters:
    ///   - account: The account asked for.
    ///   - reading: What the evidence names; `nil` without evidence.
    /// - Returns: `true` when it is another's.
    static func isOther(than account: Account, in reading: HistoryReading?) -> Bool {
        guard let reading, !reading.accounts.isEmpty else { return false }
        return account.storedToken.map(reading.accounts.contains) != true
    }
}

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
