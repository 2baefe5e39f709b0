/// One cause of a refusal, in words for people.
public struct DiagnosisCause: Equatable, Sendable {
    /// The cause's name.
    public let code: DiagnosisCode
    /// The cause in one sentence.
    public let detail: String
    /// The mend in one sentence.
    public let fix: String

    /// Creates a cause.
    ///
    /// - Parameters:
    ///   - code: The cause's name.
    ///   - detail: The cause in one sentence.
    ///   - fix: The mend in one sentence.
    public init(_ code: DiagnosisCode, detail: String, fix: String) {
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}
