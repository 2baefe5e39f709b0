/// An app's shared secret, by which verifyReceipt tells who asks about subscriptions.
///
/// It is sent to Apple alone; no text of it appears in logs or descriptions.
public struct SharedSecret: Sendable {
    let text: String

    /// Reads a secret.
    ///
    /// - Parameter bytes: The content of its file: visible ASCII characters in one line. White space at the end is left
    ///   out.
    /// - Throws: ``SharedSecretFault`` when it is empty, longer than 256 characters, or has others.
    public init(contents bytes: [UInt8]) throws(SharedSecretFault) {
        let end = bytes.lastIndex { !Self.isWhiteSpace($0) }.map { $0 + 1 } ?? 0
        let secret = bytes[..<end]
        guard (1...256).contains(secret.count), secret.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SharedSecretFault()
        }
        text = String(decoding: secret, as: UTF8.self)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the secret.
    public var description: String { "shared secret" }
    /// Nothing of the secret.
    public var debugDescription: String { description }
    /// Nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SharedSecret: Equatable {}
