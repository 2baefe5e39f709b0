/// Remembers where each value was first used, to find the second use of one that must be unique.
struct FirstUses<Value: Hashable> {
    private var places: [Value: ConfigurationPlace] = [:]

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - place: Where it is used.
    /// - Returns: Where it was used before; `nil` for the first use.
    mutating func note(_ value: Value, at place: ConfigurationPlace) -> ConfigurationPlace? {
        if let first = places[value] { return first }
        places[value] = place
        return nil
    }
}

extension FirstUses {
    /// Notes a use of a value that must be unique, and records a fault for every use but the first.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` is left alone, its fault is recorded already.
    ///   - node: Where it is used.
    ///   - meaning: What it is the same as, such as `the bundle id of another app`.
    mutating func claim(_ value: Value?, at node: ConfigurationNode?, _ meaning: String) {
        guard let value, let node, let first = note(value, at: node.place) else { return }
        let line = first.line.map { ", on line \($0)" } ?? ""
        node.fault("is also \(meaning)\(line): \(first.keyPath); each is listed once")
    }
}
