/// The configuration cannot be used: all that is wrong with it.
struct ConfigurationFaults: Error, Equatable {
    /// The faults, by file and line.
    let faults: [ConfigurationFault]
}

extension ConfigurationFaults: CustomStringConvertible {
    /// The faults, one a line.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
