/// Texts that look like a token or a key, wherever they stand: no message repeats any part of them.
package enum SecretText {
    /// Whether a text begins as a client's token (`os_`) or a private key in Base64 (`MIG`) does, or is 32 hexadecimal
    /// digits or more, as a shared secret and a digest are.
    package static func isLikely(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        return bytes.starts(with: "os_".utf8) || bytes.starts(with: "MIG".utf8)
            || bytes.count >= 32 && bytes.allSatisfy(isHexadecimal)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
