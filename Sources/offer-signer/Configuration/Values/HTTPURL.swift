import FoundationEssentials

enum HTTPURL {
    /// Checks an address: `https`, or `http` to this machine.
    ///
    /// A fault repeats no part of it, which may be a password.
    static func parse(_ text: String) throws(ValueFault) -> String {
        let parts = URLComponents(string: text, encodingInvalidCharacters: false)
        guard let parts, let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            // A port that no Int holds is there all the same.
            parts.rangeOfPort == nil || (1...65535).contains(parts.port ?? 0)
        else {
            throw ValueFault(
                "is not a URL of scheme, host, port and path alone; write one such as https://api.example.com/path"
            )
        }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard scheme == "https" || (scheme == "http" && HostName.isLoopback(bare)) else {
            throw ValueFault("is not https; plain http is for loopback addresses only")
        }
        return text
    }
}
