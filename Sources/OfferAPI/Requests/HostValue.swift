import NIOCore

/// The value of a Host field: `uri-host [ ":" port ]` (RFC 9112 §3.2, RFC 3986 §3.2.2), which may be empty.
///
/// Whether such a host exists is not asked. But a value that cannot be one was made by hand, or to be read differently
/// by a proxy.
enum HostValue {
    static func isValid(_ text: String) -> Bool {
        // The string lies in one piece as a rule.
        text.utf8.withContiguousStorageIfAvailable(isValid) ?? Array(text.utf8).withUnsafeBufferPointer(isValid)
    }

    private static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = 0
        if bytes.first == UInt8(ascii: "[") {
            end = 1
            while end < bytes.count, isOfAddress(bytes[end]) { end += 1 }
            guard end > 1, end < bytes.count, bytes[end] == UInt8(ascii: "]") else { return false }
            end += 1
        } else {
            while end < bytes.count, isOfName(bytes[end]) || isEscape(bytes[end...]) { end += 1 }
        }
        guard end < bytes.count else { return true }
        return bytes[end] == UInt8(ascii: ":") && bytes[(end + 1)...].allSatisfy(isDigit)
    }

    /// Whether a byte may stand in an IPv6 address, which may have an IPv4 address in it.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        isHexadecimal(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// `unreserved` and `sub-delims` of RFC 3986, but for the comma, by which two fields would be one.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "&")...UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: isDigit(byte)
        }
    }

    /// Whether this begins with a percent sign and two hexadecimal digits, which are of a name by themselves.
    private static func isEscape(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.first == UInt8(ascii: "%") && bytes.count > 2 && bytes.dropFirst().prefix(2).allSatisfy(isHexadecimal)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

/// The names under which the operators' page may be opened.
///
/// Anybody's page may have a name that leads to this address (DNS rebinding). Its browser sends that name as `Host`,
/// and so takes both for one origin. No such name is known here.
package struct PageHosts: Sendable {
    private let names: Set<String>

    /// Adds these names to addresses and the loopback's names, in any case and with or without a dot at the end.
    package init(_ names: [String] = []) { self.names = Set(names.map(Self.plain)) }

    /// Whether the page may be opened by a `Host` with this value, whatever its port.
    func contains(_ host: String) -> Bool {
        guard HostValue.isValid(host) else { return false }
        let isBracketed = host.first == "["
        let name = Self.plain(isBracketed ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" })
        if (try? SocketAddress(ipAddress: name, port: 0)) != nil { return true }
        return !isBracketed && (names.contains(name) || name == "localhost" || name.hasSuffix(".localhost"))
    }

    private static func plain(_ name: some StringProtocol) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
