import Foundation

/// Secrets of an installation, and the search for any piece of one in what comes out.
struct Secrets {
    /// Twelve characters of a secret are as much as may be repeated.
    private static let tolerated = 12

    /// The secrets as text, in every form in which they could be written.
    let texts: [String]

    /// The private key of an installation, and others, such as tokens.
    init(of installation: Installation, and others: [String]) throws {
        let pem = try String(contentsOfFile: installation.key, encoding: .utf8)
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let der = try [UInt8](Self.require64(base64))
        let number = der[36..<68].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        // What comes before the number in the Base64 text says what kind of key it is, the same in all keys.
        let private64 = String(base64.dropFirst(48).prefix(43))
        let numberAlone = Data(der[36..<68]).base64EncodedString()
        texts = [number, number.uppercased(), private64, numberAlone] + others
    }

    private static func require64(_ text: String) throws -> Data {
        guard let data = Data(base64Encoded: text), data.count == 138 else { throw Failure(text: "not a key: \(text)") }
        return data
    }

    /// The pieces of secrets that are in a text.
    func pieces(in text: String) -> [String] {
        let bytes = Data(text.utf8)
        return texts.compactMap { secret in
            let secret = Data(secret.utf8)
            let length = min(secret.count, Self.tolerated + 1)
            let pieces = (0...(secret.count - length)).lazy.map { secret[$0..<($0 + length)] }
            return pieces.first { bytes.range(of: $0) != nil }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
