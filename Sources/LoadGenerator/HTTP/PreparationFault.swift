/// Why no load can be generated.
public struct PreparationFault: Error, CustomStringConvertible {
    /// The reason, with a mend where there is one.
    public let description: String

    init(_ description: String) { self.description = description }
}
