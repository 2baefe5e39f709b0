import Crypto
import Offers

/// The SHA-256 of a client's token: what `clients.yaml` holds in its place.
enum TokenDigest {
    /// The digest of a token, as it is written.
    ///
    /// - Parameter token: The token.
    /// - Returns: 64 hexadecimal digits.
    static func text(of token: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(token.utf8))) }

    /// Reads a digest.
    ///
    /// - Parameter text: 64 hexadecimal digits.
    /// - Returns: 32 bytes.
    /// - Throws: ``ValueFault`` when they are not. It does not repeat the text, which may be the token itself.
    static func parse(_ text: String) throws(ValueFault) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == 32 else {
            throw ValueFault(
                "is not the SHA-256 of a token, 64 hexadecimal digits, but \(text.count) characters; "
                    + "`offer-signer clients token` makes a token and prints its tokenSHA256"
            )
        }
        return bytes
    }
}
