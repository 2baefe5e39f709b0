import Crypto

/// The clients that may call, found by their bearer tokens.
public struct ClientDirectory: Sendable {
    private let clients: [Client]

    /// Creates a directory.
    ///
    /// - Parameter clients: The clients; each `tokenSHA256` has 32 bytes.
    public init(_ clients: [Client]) {
        self.clients = clients
    }

    /// The client whose token this is.
    ///
    /// The token's SHA-256 is compared with every client's to the last byte, so that the time taken tells nothing
    /// about how near a guess came.
    ///
    /// - Parameter token: The bearer token as it was presented.
    /// - Returns: The client; `nil` when the token is nobody's.
    public func client(presenting token: some StringProtocol) -> Client? {
        let presented = Array(SHA256.hash(data: Array(token.utf8)))
        var found: Client?
        for client in clients where Self.areEqual(presented, client.tokenSHA256) {
            found = client
        }
        return found
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
