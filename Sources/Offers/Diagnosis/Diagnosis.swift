/// What was found out about a report.
public struct Diagnosis: Equatable, Sendable {
    /// Whether the signature is right for what StoreKit was given with it, as far as can be computed.
    public let isValid: Bool
    /// The causes, most likely first; empty when nothing is wrong and no error was reported.
    public let causes: [DiagnosisCause]

    /// Creates a diagnosis.
    ///
    /// - Parameters:
    ///   - isValid: Whether the signature is right.
    ///   - causes: The causes, most likely first.
    public init(isValid: Bool, causes: [DiagnosisCause]) {
        self.isValid = isValid
        self.causes = causes
    }
}

/// One cause of a refusal, in words for people.
public struct DiagnosisCause: Equatable, Sendable {
    /// The cause's name.
    public let code: DiagnosisCode
    /// What was seen, and what was to be there.
    public let detail: String
    /// The fix in one sentence.
    public let fix: String

    /// Creates a cause.
    ///
    /// - Parameters:
    ///   - code: The cause's name.
    ///   - detail: What was seen, and what was to be there.
    ///   - fix: The fix in one sentence.
    public init(_ code: DiagnosisCode, detail: String, fix: String) {
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}

extension [DiagnosisCause] {
    /// The causes, each once, in the order of their codes: most likely first.
    var likeliestFirst: [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        for code in DiagnosisCode.allCases {
            for cause in self where cause.code == code && !causes.contains(cause) { causes.append(cause) }
        }
        return causes
    }
}
