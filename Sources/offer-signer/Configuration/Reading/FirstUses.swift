/// Remembers where each value was first used, to find the second use of one that must be unique.
final class FirstUses<Value: Hashable> {
    private var places: [Value: ConfigurationPlace] = [:]

    /// Records a fault, or a warning, for every use but the first.
    ///
    /// `nil` has its fault already.
    func claim(_ value: Value?, at node: ConfigurationNode?, isFault: Bool = true) {
        guard let value, let node else { return }
        guard let first = places[value] else {
            places[value] = node.place
            return
        }
        let line = first.line.map { ", on line \($0)" } ?? ""
        let message = "is also \(first.keyPath)\(line); each is listed once"
        if isFault { node.fault(message) } else { node.warn(message) }
    }
}
