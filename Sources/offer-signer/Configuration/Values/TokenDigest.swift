import Crypto
import Offers

/// The SHA-256 of a client's token, which `clients.yaml` holds in its place.
enum TokenDigest {
    static func text(of token: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(token.utf8))) }

    /// 64 hexadecimal digits.
    ///
    /// A fault does not repeat the text, which may be the token itself.
    static func parse(_ text: String) throws(ValueFault) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == 32 else {
            throw ValueFault(
                "has \(text.count) characters, and is not the SHA-256 of a token, which has 64 hexadecimal digits; "
                    + "`offer-signer clients token` makes a token and prints its tokenSHA256"
            )
        }
        return bytes
    }
}

/// The key and token of `keys.example`, which everyone knows: they are refused on any but a loopback address.
enum DemoCredentials {
    /// The SHA-256 of the demo token, `demo-token-for-loopback-only`.
    static let tokenSHA256: [UInt8] = [
        0xa2, 0xeb, 0x0c, 0xb8, 0x50, 0x28, 0xab, 0x83, 0x8f, 0x87, 0x2c, 0xd9, 0xf6, 0x2a, 0x03, 0x2f,
        0xe4, 0xcf, 0x60, 0x1e, 0x62, 0x11, 0x7a, 0xda, 0xd7, 0x1c, 0x36, 0x0d, 0x3b, 0x34, 0x81, 0xe6,
    ]

    /// The SHA-256 of the demo key's public half as a DER `SubjectPublicKeyInfo` with an uncompressed point.
    static let publicKeySHA256: [UInt8] = [
        0x9d, 0x49, 0x2b, 0xaa, 0xe8, 0x97, 0xc4, 0xdd, 0x37, 0xec, 0x01, 0x99, 0x65, 0x75, 0x2e, 0xb1,
        0x45, 0x68, 0x05, 0x35, 0x26, 0xd8, 0x86, 0x83, 0x72, 0x5e, 0xd0, 0xbe, 0xfa, 0x3e, 0x2d, 0x61,
    ]
}
