import Glibc

/// Host names and addresses to listen on.
enum HostName {
    /// Checks a name or address.
    ///
    /// - Parameter text: A host name, an IPv4 address, or an IPv6 address without brackets.
    /// - Returns: The same text.
    /// - Throws: ``ValueFault`` when it is neither.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard !text.hasPrefix("[") else {
            throw ValueFault("\(Echo.quoted(text)): write an IPv6 address without brackets, such as ::1")
        }
        guard !text.contains("/") else {
            throw ValueFault("\(Echo.quoted(text)) is not a host; write a name or an address without scheme and path")
        }
        if text.contains(":"), !isIPv6(text) {
            throw ValueFault("\(Echo.quoted(text)) is not a host; the port has a key of its own")
        }
        let allowed = text.utf8.allSatisfy { byte in
            UInt8(ascii: "!") <= byte && byte <= UInt8(ascii: "~")
        }
        guard !text.isEmpty, allowed else {
            throw ValueFault("\(Echo.quoted(text)) is not a host; write a name or an address such as 127.0.0.1 or ::1")
        }
        return text
    }

    /// Whether only this machine can reach the host: 127.0.0.0/8, ::1 or `localhost`.
    ///
    /// Anything that is not surely loopback is not: an unusual spelling, a name that may resolve to anything.
    ///
    /// - Parameter host: A host name or an address without brackets.
    /// - Returns: `true` for loopback.
    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return UInt32(bigEndian: four.s_addr) >> 24 == 127
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { Array($0) } == Array(repeating: 0, count: 15) + [1]
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        let withoutZone = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return inet_pton(AF_INET6, String(withoutZone), &address) == 1
    }
}
