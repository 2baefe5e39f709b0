/// Why the simulator cannot start, or cannot go on.
public struct SimulatorFault: Error, Equatable, CustomStringConvertible {
    /// The fault in one line: where it is, what is wrong and what would be right.
    public let description: String

    /// Creates a fault.
    ///
    /// - Parameter description: The fault in one line.
    init(_ description: String) {
        self.description = description
    }
}
