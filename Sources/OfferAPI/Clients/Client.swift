public import Offers

/// An app's backend that may call the service, as `clients.yaml` describes it.
public struct Client: Equatable, Sendable {
    /// The name by which logs and answers know the client.
    public let name: String
    /// The SHA-256 of its bearer token, 32 bytes.
    ///
    /// The token itself is never kept.
    public let tokenSHA256: [UInt8]
    /// The bundle identifiers of the apps that it may ask for.
    public let apps: Set<String>
    /// The calls that it may make.
    public let scopes: Set<ClientScope>
    /// The kinds of evidence that it may send.
    public let evidence: Set<EvidenceKind>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - name: The name by which logs know the client.
    ///   - tokenSHA256: The SHA-256 of its bearer token, 32 bytes.
    ///   - apps: The bundle identifiers of its apps.
    ///   - scopes: The calls that it may make; all by default.
    ///   - evidence: The kinds of evidence that it may send; all by default.
    public init(
        name: String,
        tokenSHA256: [UInt8],
        apps: Set<String>,
        scopes: Set<ClientScope> = Set(ClientScope.allCases),
        evidence: Set<EvidenceKind> = Set(EvidenceKind.allCases)
    ) {
        self.name = name
        self.tokenSHA256 = tokenSHA256
        self.apps = apps
        self.scopes = scopes
        self.evidence = evidence
    }
}
