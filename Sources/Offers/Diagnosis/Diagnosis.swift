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
