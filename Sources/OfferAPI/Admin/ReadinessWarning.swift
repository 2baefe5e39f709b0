/// Something that an operator should know though the service works.
public struct ReadinessWarning: Equatable, Sendable {
    /// What a warning is about: as an alert tells it, where sentences would be too many.
    public enum Kind: String, CaseIterable, Sendable {
        /// What the configuration says, as its author may not have meant it.
        case configuration
        /// The certificate that TLS shows.
        case certificate
        /// The memory in which signatures are computed.
        case memory
        /// What was changed in the configuration, and needs a restart.
        case restart
        /// Signatures on record, and the database that they are in.
        case ledger
        /// What is held of customers.
        case state
        /// The counts of decisions.
        case funnel
    }

    /// What it is about.
    public let kind: Kind
    /// The warning in a sentence.
    public let text: String

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - kind: What it is about.
    ///   - text: The warning in a sentence.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
