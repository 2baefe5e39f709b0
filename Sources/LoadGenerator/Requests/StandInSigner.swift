internal import Crypto
public import FoundationEssentials

/// Signs what Apple would sign, with the key and the certificates of the stand-in App Store's directory.
public struct StandInSigner: Sendable {
    /// The JWS header with its dot: the same for all that is signed.
    let header: [UInt8]
    private let key: P256.Signing.PrivateKey

    /// Reads the directory that `offer-lab app-store` was started with.
    ///
    /// - Parameter directory: The directory.
    /// - Throws: ``PreparationFault`` when the key or a certificate is not there.
    public init(directory: URL) throws(PreparationFault) {
        do {
            let chain = try ["leaf.der", "intermediate.der", "root.der"].map { name in
                "\"" + (try Data(contentsOf: directory.appending(path: name))).base64EncodedString() + "\""
            }
            let pem = String(decoding: try Data(contentsOf: directory.appending(path: "leaf-key.pem")), as: UTF8.self)
            self.init(key: try P256.Signing.PrivateKey(pemRepresentation: pem), chain: chain)
        } catch {
            throw PreparationFault(
                "\(directory.path) has not the key and certificates of a stand-in App Store, which offer-lab app-store "
                    + "--directory makes there: \(error)"
            )
        }
    }

    /// Takes a key, and the certificates as JSON strings.
    init(key: P256.Signing.PrivateKey, chain: [String]) {
        self.key = key
        var header: [UInt8] = []
        Base64URL.append(Array(#"{"alg":"ES256","x5c":[\#(chain.joined(separator: ","))]}"#.utf8), to: &header)
        self.header = header + [UInt8(ascii: ".")]
    }

    /// The 64 bytes of a signature over a payload.
    func signature(over payload: [UInt8]) -> [UInt8] {
        var text = header
        text.reserveCapacity(header.count + payload.count * 4 / 3 + 2)
        Base64URL.append(payload, to: &text)
        // With a key of its own, it fails where there is no memory.
        return (try? key.signature(for: text)).map { Array($0.rawRepresentation) } ?? []
    }

    /// Appends the JWS of a payload with its signature.
    func appendJWS(_ payload: [UInt8], _ signature: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text += header
        Base64URL.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
    }
}

/// Base64url without padding (RFC 4648 §5).
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Appends the digits of bytes.
    static func append(_ bytes: some RandomAccessCollection<UInt8>, to text: inout [UInt8]) {
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    }
}
