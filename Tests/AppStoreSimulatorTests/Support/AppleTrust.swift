import Crypto
import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Whether a JWS is one of the App Store's, by Apple's rules, judged by swift-certificates.
enum AppleTrust {
    /// The payload, when everything is right.
    static func payload(of jws: String, root: Certificate, at date: Date) async throws -> [String: Any]? {
        let header = try JSON.part(0, of: jws)
        guard header["alg"] as? String == "ES256", let x5c = header["x5c"] as? [String], x5c.count == 3 else {
            return nil
        }
        let chain = try x5c.map { try Certificate(derEncoded: Array(Data(base64Encoded: $0) ?? Data())) }
        guard chain[0].extensions[oid: [1, 2, 840, 113635, 100, 6, 11, 1]] != nil,
            chain[1].extensions[oid: [1, 2, 840, 113635, 100, 6, 2, 1]] != nil
        else { return nil }
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]]))
        guard case .validCertificate = result, let key = P256.Signing.PublicKey(chain[0].publicKey) else { return nil }
        let parts = jws.split(separator: ".").map(String.init)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decode(parts[2]))
        guard key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)) else { return nil }
        return try JSON.part(1, of: jws)
    }

    private static func decode(_ text: String) -> Data {
        var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text) ?? Data()
    }
}
