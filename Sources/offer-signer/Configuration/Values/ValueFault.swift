/// A text is not a value of the kind asked for.
struct ValueFault: Error, Equatable {
    /// What is wrong and what would be right, to follow the place in a message.
    let message: String

    /// Creates a fault.
    ///
    /// - Parameter message: What is wrong and what would be right.
    init(_ message: String) {
        self.message = message
    }
}
