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

/// What was found out about a report.
public struct Diagnosis: Equatable, Sendable {
    /// Whether StoreKit has to take the signature for what it was given with it, as far as can be computed.
    public let isValid: Bool
    /// The causes, most likely first; empty when nothing is wrong and no error was reported.
    public let causes: [DiagnosisCause]

    /// Creates a diagnosis.
    ///
    /// - Parameters:
    ///   - isValid: Whether StoreKit has to take the signature.
    ///   - causes: The causes, most likely first.
    public init(isValid: Bool, causes: [DiagnosisCause]) {
        self.isValid = isValid
        self.causes = causes
    }
}
