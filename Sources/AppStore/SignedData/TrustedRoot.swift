import SwiftASN1
import X509

/// A root certificate that signed data may end at.
public struct TrustedRoot: Equatable, Sendable {
    let certificate: Certificate

    /// Reads a certificate.
    ///
    /// - Parameter bytes: The content of a file: DER, or PEM with one certificate.
    /// - Throws: ``TrustedRootFault`` when it is none.
    public init(contents bytes: [UInt8]) throws(TrustedRootFault) {
        do {
            if bytes.first == 0x30 {
                certificate = try Certificate(derEncoded: bytes)
            } else {
                let document = try PEMDocument(pemString: String(decoding: bytes, as: UTF8.self))
                certificate = try Certificate(pemDocument: document)
            }
        } catch {
            throw TrustedRootFault()
        }
    }

    /// Apple Root CA - G3.
    ///
    /// Were the certificate not readable, which a test rules out, nothing of Apple's would be trusted.
    static var appleRootCAG3: TrustedRoot? {
        guard let der = Base64.decode(AppleRootCA.g3Base64) else { return nil }
        return try? TrustedRoot(contents: der)
    }
}
