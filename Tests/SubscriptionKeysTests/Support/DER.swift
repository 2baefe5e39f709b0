import Foundation

/// Writes DER and PEM, for keys that no tool makes.
enum DER {
    static let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// One element with its length.
    static func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        let length: [UInt8] =
            switch content.count {
            case ..<128: [UInt8(content.count)]
            case ..<256: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            }
        return [tag] + length + content
    }

    /// A PKCS#8 P-256 key of these parts (RFC 5958, RFC 5915).
    ///
    /// Without a point, the public key is left out. With parameters, the inner structure names the curve, too,
    /// as Apple's files do.
    ///
    /// Version 1 may have the point outside, too.
    static func pkcs8(
        scalar: [UInt8],
        point: [UInt8]?,
        parameters: Bool = false,
        version: UInt8 = 0,
        outerPoint: [UInt8]? = nil
    ) -> [UInt8] {
        let key = element(
            0x30,
            [0x02, 0x01, 0x01],
            element(0x04, scalar),
            parameters ? element(0xA0, p256) : [],
            point.map { element(0xA1, element(0x03, [0] + $0)) } ?? []
        )
        let outer = outerPoint.map { element(0x81, [0] + $0) } ?? []
        return element(0x30, [0x02, 0x01, version], element(0x30, ecPublicKey, p256), element(0x04, key), outer)
    }

    /// The PEM of some DER, in lines of 64 characters.
    static func pem(_ der: [UInt8], label: String = "PRIVATE KEY", lineEnd: String = "\n") -> [UInt8] {
        let text = Data(der).base64EncodedString()
        let lines = stride(from: 0, to: text.count, by: 64).map { text.dropFirst($0).prefix(64) }.map(String.init)
        let all = ["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]
        return Array(all.joined(separator: lineEnd).utf8)
    }
}
