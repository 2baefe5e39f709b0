import Foundation

/// Base64url without padding (RFC 4648 §5), as JWS writes its parts (RFC 7515 §2).
enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = Data(bytes).base64EncodedString()
        text.replace("+", with: "-")
        text.replace("/", with: "_")
        text.replace("=", with: "")
        return text
    }

    /// Decodes a text.
    ///
    /// - Parameter text: The text; padding and the standard alphabet's `+` and `/` are refused.
    /// - Returns: The bytes; `nil` when it is not base64url.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
