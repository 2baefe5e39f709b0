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
