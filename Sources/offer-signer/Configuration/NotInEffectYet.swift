/// What the configuration can say although nothing comes of it yet: the one list of it.
///
/// A line goes when what it names is built.
enum NotInEffectYet {
    /// Key paths, and what it means for the operator that they do nothing.
    ///
    /// `[]` stands for any element, `[1...]` for any but the first.
    private static let consequences: [String: String] = [
        "ledger.url": "no ledger is kept",
        "ledger.digestKeyFile": "no ledger is kept",
        "ledger.checkpointKeyFile": "no ledger is kept",
        "notifications.host": "no listener for Apple's notifications is opened",
        "notifications.port": "no listener for Apple's notifications is opened",
        "apps[].customerPattern": "nothing is counted by customer",
        "apps[].maximumAccountsPerTransaction": "the accounts of a transaction are not counted",
        "apps[].keys[1...]": "the first key signs, and older signatures are not looked at",
        "apps[].subscriptionGroups[].products[].offers[].maximumSignaturesPerCustomer": "signatures are not counted",
        "apps[].subscriptionGroups[].products[].offers[].signaturePeriodDays": "signatures are not counted",
        "clients[].signaturesPerSecond": "a client's rate is not limited",
    ]

    /// What it means that a key does nothing.
    ///
    /// - Parameter keyPath: The path of a key that is set.
    /// - Returns: The consequence; `nil` when the key has its effect.
    static func consequence(of keyPath: String) -> String? {
        consequences[pattern(keyPath, lastIndex: "[]")] ?? consequences[pattern(keyPath, lastIndex: "[1...]")]
    }

    /// The key path with `[]` for its indices; with another text for the last one when that ends the path and is not 0.
    private static func pattern(_ keyPath: String, lastIndex: String) -> String {
        var parts = keyPath.split(separator: "[", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            guard let end = parts[index].firstIndex(of: "]") else { continue }
            let isLast = index == parts.indices.last && parts[index].last == "]" && parts[index] != "0]"
            parts[index] = (isLast ? lastIndex : "[]") + parts[index][parts[index].index(after: end)...]
        }
        return parts.joined()
    }
}
