/// Gathers every fault and warning of one reading, so that an operator fixes a configuration in one go.
///
/// One reading uses it from one thread, start to end.
final class FaultCollector {
    private var collectedFaults: [ConfigurationFault] = []
    private var known: Set<ConfigurationFault> = []
    private var collectedWarnings: [ConfigurationWarning] = []

    /// Whether nothing is wrong so far.
    var isEmpty: Bool { collectedFaults.isEmpty }

    /// The faults: files in the order in which they were first at fault, each by line.
    var faults: [ConfigurationFault] { ordered(collectedFaults, by: \.place) }

    /// The warnings, in the same order.
    var warnings: [ConfigurationWarning] { ordered(collectedWarnings, by: \.place) }

    /// Records that the value at a place cannot be used.
    func fault(_ place: ConfigurationPlace, _ message: String) {
        let fault = ConfigurationFault(place: place, message: message)
        if known.insert(fault).inserted { collectedFaults.append(fault) }
    }

    /// Records something that the operator should know.
    func warning(_ place: ConfigurationPlace, _ message: String) {
        collectedWarnings.append(ConfigurationWarning(place: place, message: message))
    }

    private func ordered<Entry>(_ entries: [Entry], by place: (Entry) -> ConfigurationPlace) -> [Entry] {
        var ranks: [String: Int] = [:]
        for entry in entries where ranks[place(entry).source] == nil {
            ranks[place(entry).source] = ranks.count
        }
        let keyed = entries.enumerated().map { index, entry in
            (rank: ranks[place(entry).source] ?? 0, line: place(entry).line ?? 0, index: index, entry: entry)
        }
        return keyed.sorted { ($0.rank, $0.line, $0.index) < ($1.rank, $1.line, $1.index) }.map(\.entry)
    }
}
