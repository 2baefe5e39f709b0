/// A fault of the configuration, or a warning of something that works, but perhaps not as its author thinks.
struct ConfigurationFinding: Hashable, Sendable, CustomStringConvertible {
    let place: ConfigurationPlace
    /// The finding and the fix, without any value that may be a secret.
    let message: String

    var description: String { "\(place): \(message)" }
}

/// All that is wrong with a configuration that cannot be used.
struct ConfigurationFaults: Error, CustomStringConvertible {
    let faults: [ConfigurationFinding]

    var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Gathers every fault and warning of one reading, so that an operator fixes a configuration in one go.
///
/// One reading uses it from one thread, start to end.
final class FaultCollector {
    private var collectedFaults: [ConfigurationFinding] = []
    private var known: Set<ConfigurationFinding> = []
    private var collectedWarnings: [ConfigurationFinding] = []

    var isEmpty: Bool { collectedFaults.isEmpty }

    /// Files in the order in which they were first at fault, each by line.
    var faults: [ConfigurationFinding] { Self.ordered(collectedFaults) }

    /// In the same order.
    var warnings: [ConfigurationFinding] { Self.ordered(collectedWarnings) }

    func fault(_ place: ConfigurationPlace, _ message: String) {
        let fault = ConfigurationFinding(place: place, message: message)
        if known.insert(fault).inserted { collectedFaults.append(fault) }
    }

    func warning(_ place: ConfigurationPlace, _ message: String) {
        collectedWarnings.append(ConfigurationFinding(place: place, message: message))
    }

    private static func ordered(_ findings: [ConfigurationFinding]) -> [ConfigurationFinding] {
        var ranks: [String: Int] = [:]
        for finding in findings where ranks[finding.place.source] == nil { ranks[finding.place.source] = ranks.count }
        func key(_ place: ConfigurationPlace, _ index: Int) -> (Int, Int, Int) {
            (ranks[place.source] ?? 0, place.line ?? 0, index)
        }
        return findings.enumerated().sorted { key($0.element.place, $0.offset) < key($1.element.place, $1.offset) }
            .map(\.element)
    }
}
