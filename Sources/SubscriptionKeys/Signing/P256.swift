/// The curve of every key here: NIST P-256, also named prime256v1 and secp256r1.
enum P256 {
    /// The name to show.
    static let name = "P-256"
    /// The length of a private number, in bytes.
    static let scalarLength = 32
    /// The length of a public point, in bytes: `04 x y` (SEC 1 §2.3.3).
    static let pointLength = 65
    /// The longest signature, in bytes: a SEQUENCE of two INTEGERs of 33 bytes (RFC 3279 §2.2.3).
    static let longestSignature = 72

    /// The DER of a SubjectPublicKeyInfo (RFC 5480 §2).
    ///
    /// - Parameter point: The public point, 65 bytes.
    /// - Returns: 91 bytes.
    static func subjectPublicKeyInfo(of point: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        return header + point
    }
}
