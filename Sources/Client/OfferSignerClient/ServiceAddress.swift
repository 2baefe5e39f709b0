import FoundationEssentials

/// The address of the service, without a slash at its end.
struct ServiceAddress: Sendable {
    private let text: String

    /// Takes an address.
    ///
    /// - Parameter url: The address, with `http` or `https`.
    /// - Throws: `OfferSignerError.invalidArgument` where it is none.
    init(_ url: String) throws(OfferSignerError) {
        let scheme = ["http://", "https://"].first { url.lowercased().hasPrefix($0) }
        // After the scheme comes the host, or its port without one.
        guard let scheme, let host = url.dropFirst(scheme.count).first, host != "/", host != ":" else {
            throw .invalidArgument("The service's address is a URL such as https://offers.internal.")
        }
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), !url.contains(where: { "?#@".contains($0) })
        else {
            throw .invalidArgument("The service's address has neither user, query, fragment nor white space.")
        }
        // The HTTP client ends the process over a port that is too large, and takes the scheme's for one that no Int holds.
        guard let parts = URLComponents(string: url), parts.host?.isEmpty == false,
            parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
        else {
            throw .invalidArgument("The service's address has no host that can be asked, or no port from 1 to 65535.")
        }
        text = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// The address of a path, which may have a query.
    func url(_ path: String) -> String { text + path }

    /// A path with a query.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - query: Names and values; those without a value are left out.
    /// - Returns: The path with its query.
    func path(_ path: String, query: [(String, String?)]) -> String {
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(Self.escape($0))" } }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
    private static func escape(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return value.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 0x0F)])"
            }
        }
    }
}

/// A bearer token that no description shows.
struct BearerToken: Sendable {
    /// The token, for the one header field that carries it.
    let text: String

    /// Takes a token.
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
