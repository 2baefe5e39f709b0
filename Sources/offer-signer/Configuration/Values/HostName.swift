import Glibc

enum HostName {
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    static func parse(_ text: String) throws(ValueFault) -> String {
        let isVisible = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isVisible, isIPv6(text) || !text.contains(where: "[/:".contains) else {
            throw ValueFault(
                "\(Echo.name(text)) is not a host; write a name or an address such as 127.0.0.1 or ::1, without brackets, "
                    + "scheme, path and port"
            )
        }
        return text
    }

    /// Whether only this machine can reach the host: 127.0.0.0/8, ::1 or `localhost`.
    ///
    /// Anything that is not surely loopback is not: an unusual spelling, a name that may resolve to anything.
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

    /// Whether machines of other networks may reach the host.
    ///
    /// Loopback, private and link-local addresses are for the machine and its network (RFC 1918, 3927, 6598, 4193, 4291).
    /// Anything else may be public: all interfaces, a name, an unusual spelling.
    static func mayBePublic(_ host: String) -> Bool {
        guard !isLoopback(host) else { return false }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            let address = UInt32(bigEndian: four.s_addr)
            let privateNetworks: [(base: UInt32, bits: UInt32)] = [
                (0x0A00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16), (0xA9FE_0000, 16), (0x6440_0000, 10),
            ]
            return !privateNetworks.contains { ($0.base ^ address) >> (32 - $0.bits) == 0 }
        }
        var six = in6_addr()
        let withoutZone = host.prefix { $0 != "%" }
        guard inet_pton(AF_INET6, String(withoutZone), &six) == 1 else { return true }
        let (first, second) = withUnsafeBytes(of: &six) { ($0[0], $0[1]) }
        return !(first & 0xFE == 0xFC || (first == 0xFE && second & 0xC0 == 0x80))
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        let withoutZone = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return inet_pton(AF_INET6, String(withoutZone), &address) == 1
    }
}

extension HostName {
    /// Why a listener cannot be found a place on a host, in the system's words; `nil` when it can.
    ///
    /// A name is looked for as any program of this machine would, maybe by asking others; an address is not.
    static func lookupFault(_ host: String) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &found)
        guard result != 0 else {
            freeaddrinfo(found)
            return nil
        }
        return String(cString: gai_strerror(result))
    }
}
