/// One thing that is wrong with the configuration, with its place and what to do about it.
struct ConfigurationFault: Hashable, Sendable {
    /// Where the fault is.
    let place: ConfigurationPlace
    /// What is wrong and what would be right, without any value that may be a secret.
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
    /// What the warning is about.
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
