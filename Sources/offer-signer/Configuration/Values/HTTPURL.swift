import FoundationEssentials

/// Addresses of HTTP services that the configuration names.
enum HTTPURL {
    /// Checks a link that is handed to apps: `https`, without a user or a password.
    static func parseLink(_ text: String) throws(ValueFault) -> String {
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), parts.user == nil,
            parts.password == nil, parts.scheme?.lowercased() == "https", let host = parts.host, !host.isEmpty
        else {
            throw ValueFault("is not an https URL; write the offer's link, such as https://apps.apple.com/win-back/…")
        }
        return text
    }

    /// Checks an address: `https`, or `http` to this machine.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
        else {
            throw ValueFault("is not a URL; write one such as https://buy.itunes.apple.com/verifyReceipt")
        }
        // Nothing of a URL with a password is repeated.
        guard parts.user == nil, parts.password == nil else {
            throw ValueFault("carries a user or a password; write the URL without")
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw ValueFault("\(Echo.path(text)) has a query or a fragment; write the URL without")
        }
        // A port that no Int holds is there all the same.
        guard parts.rangeOfPort == nil || (1...65535).contains(parts.port ?? 0) else {
            throw ValueFault("\(Echo.path(text)) has a port out of range; write one from 1 to 65535")
        }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard scheme == "https" || (scheme == "http" && HostName.isLoopback(bare)) else {
            throw ValueFault("\(Echo.path(text)) is not https; plain http is for loopback addresses only")
        }
        return text
    }
}
