import LogLines

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
    /// The log's format, as far as it was read.
    var logFormat = LogFormat.auto

    var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Gathers every fault and warning of one reading, so that an operator fixes a configuration in one go; and what it read.
///
/// One reading uses it from one thread, start to end.
final class FaultCollector {
    private var collectedFaults: [ConfigurationFinding] = []
    private var known: Set<ConfigurationFinding> = []
    private var collectedWarnings: [ConfigurationFinding] = []
    private var isSilent = false
    var logFormat = LogFormat.auto
    /// The values of the catalog and the clients, by their paths in ``ConfigurationInUse``.
    var recorded: [String: String] = [:]

    var isEmpty: Bool { collectedFaults.isEmpty }

    func hasFault(at place: ConfigurationPlace) -> Bool { collectedFaults.contains { $0.place == place } }

    /// Files in the order in which they were first at fault, each by line.
    var faults: [ConfigurationFinding] { Self.ordered(collectedFaults) }

    /// In the same order.
    var warnings: [ConfigurationFinding] { Self.ordered(collectedWarnings) }

    /// Does something whose findings do not count.
    func silently(_ work: () -> Void) {
        let before = isSilent
        isSilent = true
        work()
        isSilent = before
    }

    func fault(_ place: ConfigurationPlace, _ message: String) {
        fault(ConfigurationFinding(place: place, message: message))
    }

    func fault(_ fault: ConfigurationFinding) {
        guard !isSilent else { return }
        if known.insert(fault).inserted { collectedFaults.append(fault) }
    }

    func warning(_ place: ConfigurationPlace, _ message: String) {
        guard !isSilent else { return }
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

/// The place of a configuration value: its key path, and the file, variable or flag that it came from.
struct ConfigurationPlace: Hashable, Sendable {
    enum Origin: Hashable, Sendable {
        /// As the operator would name it; lines count from 1.
        case file(String, line: Int?)
        case environment(String)
        /// With its two dashes.
        case flag(String)
    }

    let origin: Origin
    /// Such as `apps[0].keys[1].file`; empty for a file as a whole.
    let keyPath: String

    /// The file; for an override, the variable or the flag.
    var source: String {
        switch origin {
        case .file(let file, _): file
        case .environment(let name), .flag(let name): name
        }
    }

    var line: Int? {
        guard case .file(_, let line) = origin else { return nil }
        return line
    }

    /// The place of a member; its name is as messages may repeat it.
    func member(_ key: String, line: Int?) -> ConfigurationPlace {
        moved(to: keyPath.isEmpty ? key : keyPath + "." + key, line: line)
    }

    func element(_ index: Int, line: Int?) -> ConfigurationPlace {
        moved(to: "\(keyPath)[\(index)]", line: line)
    }

    private func moved(to keyPath: String, line: Int?) -> ConfigurationPlace {
        guard case .file(let file, _) = origin else { return ConfigurationPlace(origin: origin, keyPath: keyPath) }
        return ConfigurationPlace(origin: .file(file, line: line), keyPath: keyPath)
    }
}

extension ConfigurationPlace: CustomStringConvertible {
    /// The place as messages begin: `catalog.yaml:14: apps[0].bundleId`, or the name of the variable or flag.
    var description: String {
        guard case .file(let file, let line) = origin else { return source }
        let position = line.map { "\(Echo.file(file)):\($0)" } ?? Echo.file(file)
        return keyPath.isEmpty ? position : position + ": " + keyPath
    }
}
