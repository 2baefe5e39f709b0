import Foundation

/// What of a P-256 key a search looks for: every eighth of the file that holds a part of the private number.
package struct KeyPatterns {
    /// Quarters of the number as it is written (big-endian), and as OpenSSL computes with it (little-endian words).
    ///
    /// 8 bytes each: what fits a register.
    package let number: [[UInt8]]
    /// Pieces of the file's Base64 text.
    package let text: [[UInt8]]

    package var all: [[UInt8]] { number + text }

    /// Takes a PKCS#8 as `openssl genpkey` writes it: 138 bytes, of which the number is bytes 36 to 67.
    package init(der: [UInt8]) {
        let quarters = stride(from: 36, to: 68, by: 8).map { Array(der[$0..<$0 + 8]) }
        number = quarters + quarters.map { $0.reversed() }
        let base64 = Array(Data(der).base64EncodedString().utf8)
        // A line of a PEM file ends after 64 characters.
        text = [Array(base64[48..<64]), Array(base64[64..<76]), Array(base64[76..<88])]
    }

    /// Takes a key file as `openssl genpkey` writes it.
    package init(pem: String) throws {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        guard let der = Data(base64Encoded: lines.joined()), der.count == 138 else {
            throw ProcessMemoryError(description: "openssl writes another shape of key than expected")
        }
        self.init(der: [UInt8](der))
    }
}
