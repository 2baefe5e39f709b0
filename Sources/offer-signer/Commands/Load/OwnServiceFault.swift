/// Why a service of one's own could not be started.
struct OwnServiceFault: Error, CustomStringConvertible {
    /// The reason.
    let description: String

    init(_ description: String) { self.description = description }
}
