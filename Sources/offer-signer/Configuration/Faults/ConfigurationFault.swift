/// One thing that is wrong with the configuration, with its place and what to do about it.
struct ConfigurationFault: Hashable, Sendable {
    /// The place of the fault.
    let place: ConfigurationPlace
    /// The fault and the fix, without any value that may be a secret.
    let message: String

    /// The file; for an override, the variable or the flag.
    var file: String { place.source }
    /// The line in the file, from 1; `nil` for overrides and for a file as a whole.
    var line: Int? { place.line }
    /// The path of keys to the value.
    var keyPath: String { place.keyPath }
}

extension ConfigurationFault: CustomStringConvertible {
    /// The fault in one line.
    var description: String { "\(place): \(message)" }
}

/// The configuration cannot be used: all that is wrong with it.
struct ConfigurationFaults: Error, Equatable {
    /// The faults, by file and line.
    let faults: [ConfigurationFault]
}

extension ConfigurationFaults: CustomStringConvertible {
    /// The faults, one a line.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Something in the configuration that works, but perhaps not as its author thinks.
struct ConfigurationWarning: Equatable, Sendable {
    /// The place that the warning is about.
    let place: ConfigurationPlace
    /// What to know about it.
    let message: String

    /// The file; for an override, the variable or the flag.
    var file: String { place.source }
    /// The line in the file, from 1; `nil` for overrides.
    var line: Int? { place.line }
    /// The path of keys to the value.
    var keyPath: String { place.keyPath }
}

extension ConfigurationWarning: CustomStringConvertible {
    /// The warning in one line.
    var description: String { "\(place): \(message)" }
}

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
