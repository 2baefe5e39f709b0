/// One thing that is wrong with the configuration, with its place and what to do about it.
struct ConfigurationFault: Hashable, Sendable {
    let place: ConfigurationPlace
    /// The fault and the fix, without any value that may be a secret.
    let message: String

    var file: String { place.source }
    var line: Int? { place.line }
    var keyPath: String { place.keyPath }
}

extension ConfigurationFault: CustomStringConvertible {
    var description: String { "\(place): \(message)" }
}

/// All that is wrong with a configuration that cannot be used.
struct ConfigurationFaults: Error, Equatable {
    let faults: [ConfigurationFault]
}

extension ConfigurationFaults: CustomStringConvertible {
    var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Something in the configuration that works, but perhaps not as its author thinks.
struct ConfigurationWarning: Equatable, Sendable {
    let place: ConfigurationPlace
    let message: String

    var file: String { place.source }
    var line: Int? { place.line }
    var keyPath: String { place.keyPath }
}

extension ConfigurationWarning: CustomStringConvertible {
    var description: String { "\(place): \(message)" }
}

/// Gathers every fault and warning of one reading, so that an operator fixes a configuration in one go.
///
/// One reading uses it from one thread, start to end.
final class FaultCollector {
    private var collectedFaults: [ConfigurationFault] = []
    private var known: Set<ConfigurationFault> = []
    private var collectedWarnings: [ConfigurationWarning] = []

    var isEmpty: Bool { collectedFaults.isEmpty }

    /// The faults: files in the order in which they were first at fault, each by line.
    var faults: [ConfigurationFault] { ordered(collectedFaults, by: \.place) }

    /// The warnings, in the same order.
    var warnings: [ConfigurationWarning] { ordered(collectedWarnings, by: \.place) }

    func fault(_ place: ConfigurationPlace, _ message: String) {
        let fault = ConfigurationFault(place: place, message: message)
        if known.insert(fault).inserted { collectedFaults.append(fault) }
    }

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
