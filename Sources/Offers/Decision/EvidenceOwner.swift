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
