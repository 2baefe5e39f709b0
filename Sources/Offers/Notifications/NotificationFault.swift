/// Why a notification is not taken.
public struct NotificationFault: Error, Equatable {
    /// The fault's name in answers, in snake case.
    public let code: String
    /// The fault in a sentence or two.
    public let detail: String
    /// Whether the body is no notification at all, rather than one that is not Apple's or for no app here.
    public let isMalformed: Bool

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The fault's name in answers.
    ///   - detail: The fault in a sentence or two.
    ///   - isMalformed: Whether the body is no notification at all.
    public init(code: String, detail: String, isMalformed: Bool = false) {
        self.code = code
        self.detail = detail
        self.isMalformed = isMalformed
    }
}
