/// The clients that may call, found by their bearer tokens.
public final class ClientDirectory: Sendable {
    private let clients: [TokenDigest: Client]
    private let usages: [String: ClientUsage]

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - clients: The clients; each digest of `tokenSHA256` has 32 bytes.
    ///   - usages: What the clients have asked for so far.
    public init(_ clients: [Client], usages: ClientUsages = ClientUsages()) {
        var byDigest: [TokenDigest: Client] = [:]
        for client in clients {
            for digest in client.tokenSHA256.compactMap({ TokenDigest(bytes: $0) }) { byDigest[digest] = client }
        }
        self.clients = byDigest
        let names = clients.map { ($0.name, usages.usage(of: $0.name)) }
        self.usages = Dictionary(names) { first, _ in first }
    }

    /// The client whose token this is.
    ///
    /// - Parameter token: The bearer token as it was presented.
    /// - Returns: The client; `nil` when the token is nobody's.
    public func client(presenting token: some StringProtocol) -> Client? { client(with: TokenDigest(of: token)) }

    /// The client whose token has a digest.
    ///
    /// - Parameter digest: The digest of the bearer token as it was presented.
    /// - Returns: The client; `nil` when the token is nobody's.
    func client(with digest: TokenDigest) -> Client? { clients[digest] }

    /// What a client has asked for.
    ///
    /// - Parameter client: A client of the directory.
    /// - Returns: The usage; `nil` for a client of another directory.
    func usage(of client: Client) -> ClientUsage? { usages[client.name] }
}
