/// A bearer token that no description shows.
struct BearerToken: Sendable {
    /// The token, for the one header field that carries it.
    let text: String

    /// Takes a token.
    ///
    /// - Parameter text: The token.
    /// - Throws: `OfferSignerError.invalidArgument` where it cannot be one (RFC 6750 §2.1, `b64token`): the end of a line
    ///   that came with a file, most often.
    init(_ text: String) throws(OfferSignerError) {
        let isToken = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~+/=".utf8.contains(byte)
            }
        }
        guard !text.isEmpty, isToken else {
            throw .invalidArgument("The token is empty, or holds what a bearer token cannot, such as white space.")
        }
        self.text = text
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    var description: String { "(not shown)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
