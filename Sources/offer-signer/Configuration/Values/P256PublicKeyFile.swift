import Crypto
import Foundation

enum P256PublicKeyFile {
    /// A public key as PEM takes 178 bytes.
    private static let maximumBytes = 16 << 10

    /// PEM with one `PUBLIC KEY` (RFC 7468 §13) of P-256; a private key in its place is refused.
    static func read(_ path: String) throws(ValueFault) -> P256.Signing.PublicKey {
        let size: Int
        do throws(ValueFault) {
            size = try RegularFile.size(of: path)
        } catch {
            throw ValueFault("\(Echo.path(path)): \(error.message)")
        }
        guard size <= maximumBytes else { throw fault(path, "has \(size) bytes") }
        guard let data = FileManager.default.contents(atPath: path) else { throw fault(path, "cannot be read") }
        let text = String(decoding: data, as: UTF8.self)
        guard !text.contains("PRIVATE KEY") else {
            throw fault(path, "holds a private key: name it by file instead, or take its public half")
        }
        do {
            return try P256.Signing.PublicKey(pemRepresentation: text)
        } catch {
            throw fault(path, "is not the public key of a P-256 key")
        }
    }

    private static func fault(_ path: String, _ found: String) -> ValueFault {
        ValueFault(
            "\(Echo.path(path)) \(found); an EC P-256 public key in PEM is needed, as `openssl pkey -in KEY.p8 "
                + "-pubout` writes it"
        )
    }
}
