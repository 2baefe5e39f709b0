import FoundationEssentials
import Storage

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
        // A message repeats no part of a URL with a password.
        guard parts.user == nil, parts.password == nil else {
            throw ValueFault("carries a user or a password; write the URL without")
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw ValueFault("has a query or a fragment; write the URL without")
        }
        // A port that no Int holds is there all the same.
        guard parts.rangeOfPort == nil || (1...65535).contains(parts.port ?? 0) else {
            throw ValueFault("has a port out of range; write one from 1 to 65535")
        }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard scheme == "https" || (scheme == "http" && HostName.isLoopback(bare)) else {
            throw ValueFault("is not https; plain http is for loopback addresses only")
        }
        return text
    }
}

enum LedgerURL {
    /// An SQLite path stays as it was written.
    ///
    /// A password belongs into a passfile.
    static func parse(_ text: String) throws(ValueFault) -> LedgerLocation {
        if text.hasPrefix("sqlite:") {
            let path = String(text.dropFirst("sqlite:".count))
            guard !path.isEmpty else { throw ValueFault("names no file; write sqlite:ledger.sqlite") }
            return .sqlite(path: try FilePathText.parse(path))
        }
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            // A URL of another scheme may hold a password too: it is not repeated.
            throw ValueFault("is neither sqlite:FILE nor postgres://USER@HOST/DB")
        }
        do throws(PostgreSQLError) {
            _ = try PostgreSQLLocation(url: text)
        } catch {
            throw ValueFault(error.detail)
        }
        return .postgres(url: text)
    }
}
