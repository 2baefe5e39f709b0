/// Why a notification is not taken.
public struct NotificationFault: Error, Equatable {
    /// The fault's name in answers, in snake case.
    public let code: String
    /// The fault in a sentence or two.
    public let detail: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The fault's name in answers.
    ///   - detail: The fault in a sentence or two.
    public init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
