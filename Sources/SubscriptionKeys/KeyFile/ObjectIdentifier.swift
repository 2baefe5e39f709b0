/// The object identifiers that tell one kind of private key from another, as DER content bytes.
enum ObjectIdentifier {
    /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480 §2.1.1).
    static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// rsaEncryption, 1.2.840.113549.1.1.1, and the arc of its kin such as RSASSA-PSS.
    static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    /// secp256r1, 1.2.840.10045.3.1.7 (RFC 5480 §2.1.1.1): P-256.
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The name of an algorithm that is neither EC nor RSA (RFC 8410 §3), else its identifier.
    static func algorithmName(_ identifier: [UInt8]) -> String {
        switch identifier {
        case [0x2B, 0x65, 0x6E]: "X25519"
        case [0x2B, 0x65, 0x6F]: "X448"
        case [0x2B, 0x65, 0x70]: "Ed25519"
        case [0x2B, 0x65, 0x71]: "Ed448"
        default: "algorithm \(dotted(identifier))"
        }
    }

    /// The name of a curve (RFC 5480 §2.1.1.1, SEC 2), else its identifier.
    static func curveName(_ identifier: [UInt8]) -> String {
        switch identifier {
        case [0x2B, 0x81, 0x04, 0x00, 0x22]: "P-384"
        case [0x2B, 0x81, 0x04, 0x00, 0x23]: "P-521"
        case [0x2B, 0x81, 0x04, 0x00, 0x21]: "P-224"
        case [0x2B, 0x81, 0x04, 0x00, 0x0A]: "secp256k1"
        default: "curve \(dotted(identifier))"
        }
    }

    /// The identifier as numbers with dots (X.690 §8.19).
    private static func dotted(_ identifier: [UInt8]) -> String {
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        for byte in identifier {
            arc = arc << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            // The first number holds two: 40 times the first arc, which is at most 2, plus the second.
            arcs += arcs.isEmpty ? [min(arc / 40, 2), arc - 40 * min(arc / 40, 2)] : [arc]
            arc = 0
        }
        return arcs.map(String.init).joined(separator: ".")
    }
}
