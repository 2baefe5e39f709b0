import CPostgreSQL
import Foundation

/// The place of a PostgreSQL database, and how to speak with it: the contents of a libpq URI.
///
/// `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem`; several hosts, Unix sockets and
/// libpq's other parameters as its manual has them (PostgreSQL's manual, 34.1.2). A password is never a part of it:
/// libpq takes it from a passfile (`passfile=` in the URL, `PGPASSFILE`, `~/.pgpass`).
package struct PostgreSQLLocation: Equatable, Sendable {
    let parameters: [String: String]

    /// The parameters that a URL may not have, and why.
    private static let refused = [
        "password": "carries a password; leave it out and put it into a passfile (PGPASSFILE)",
        "sslpassword": "carries a password, of a key; name a key without one by sslkey",
        "service": "names a service; write its parameters into the URL",
        "replication": "asks for a replication connection; leave replication out",
        "client_encoding": "sets client_encoding, which is UTF-8; leave it out",
        "scram_client_key": "carries scram_client_key, as good as a password; put the password into a passfile",
        "scram_server_key": "carries scram_server_key, a secret; put the password into a passfile",
        "oauth_client_secret": "carries oauth_client_secret, a secret; put a password into a passfile in its place",
        "sslkeylogfile": "names sslkeylogfile, which would lay the connection open; leave it out",
    ]

    /// What libpq takes for `sslmode`; it looks at that with the first connection alone.
    private static let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    /// Reads a libpq URI, `postgres://` or `postgresql://`.
    ///
    /// An error repeats no part of it but the names of parameters that libpq knows.
    package init(url: String) throws(PostgreSQLError) {
        let named = Self.keywords(in: url)
        // Before libpq's look, which does not know those of newer versions; and after it, as it has the last word.
        try Self.refuse(named.contains)
        let parsed = try Self.parse(url)
        try Self.refuse { parsed[$0] != nil }
        // `engine:key` would have OpenSSL load a module into the process that holds the keys.
        if let key = parsed["sslkey"], key.contains(":") {
            throw PostgreSQLError(.invalidURL, "names an sslkey of an engine; name a file")
        }
        let ports = parsed["port"]?.split(separator: ",") ?? []
        guard ports.allSatisfy({ $0.first != "+" && UInt16($0).map { $0 > 0 } ?? false }) else {
            throw PostgreSQLError(.invalidURL, "names a port that is none; a port is a number from 1 to 65535")
        }
        if let mode = parsed["sslmode"], !Self.modes.contains(mode) {
            throw PostgreSQLError(
                .invalidURL,
                "has an sslmode that libpq does not know; it takes \(Self.modes.joined(separator: ", "))"
            )
        }
        parameters = parsed.merging(Self.ours) { given, _ in given }
    }

    /// The host or hosts with their ports, and the database, for messages.
    package var name: String {
        let places = hosts.map(\.place).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return "\(places.joined(separator: ", "))\(parameters["dbname"].map { ", database \($0)" } ?? "")"
    }

    /// A location by libpq's keywords, which were looked at before.
    init(parameters: [String: String]) { self.parameters = parameters }

    /// A warning for the operator; `nil` when there is none.
    package var warning: String? {
        guard !["verify-full", "verify-ca"].contains(parameters["sslmode"] ?? "") else { return nil }
        let places = [parameters["host"], parameters["hostaddr"]].compactMap(\.self)
        let hosts = places.flatMap { $0.split(separator: ",", omittingEmptySubsequences: true) }
        guard !hosts.allSatisfy(Self.isHere) else { return nil }
        return "the server's certificate is not verified; say sslmode=verify-full and sslrootcert=FILE in the URL"
    }

    /// Whether a host is this machine: a socket, or a loopback address.
    private static func isHere(_ host: Substring) -> Bool {
        ["/", "@", "127."].contains { host.hasPrefix($0) } || ["localhost", "::1"].contains(host)
    }

    private static let ours = [
        "application_name": "offer-signer", "client_encoding": "UTF8",
        // Kerberos would read krb5.conf and its plug-ins into the process; who wants it says so.
        "gssencmode": "disable",
        // Notice within seconds that the other side is gone without a word.
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "15000",
        // A standby takes no records.
        "target_session_attrs": "read-write",
    ]

    private static func refuse(_ isThere: (String) -> Bool) throws(PostgreSQLError) {
        for (keyword, reason) in refused.sorted(by: { $0.key < $1.key }) where isThere(keyword) {
            throw PostgreSQLError(.invalidURL, reason)
        }
    }

    /// The names of a URL's parameters, whether libpq knows them or not.
    private static func keywords(in url: String) -> Set<String> {
        let parameters = url.split(whereSeparator: { "?&".contains($0) }).dropFirst()
        let names = parameters.compactMap { $0.split(separator: "=").first }
        return Set(names.compactMap { String($0).removingPercentEncoding })
    }

    /// Parameters of newer libpqs, by the first that knows them.
    private static let newer = [
        "require_auth": 16, "sslcertmode": 16, "gssdelegation": 16, "load_balance_hosts": 16, "sslnegotiation": 17,
        "min_protocol_version": 18, "max_protocol_version": 18, "servicefile": 18, "oauth_issuer": 18,
        "oauth_client_id": 18, "oauth_scope": 18,
    ]

    /// A parameter that this libpq is too old for, in words; `nil` where there is none.
    static func tooNew(_ named: Set<String>, for version: Int) -> String? {
        let found = newer.sorted { $0.key < $1.key }.first { named.contains($0.key) && $0.value > version }
        return found.map {
            "has \($0.key), which the libpq of this system (\(version)) does not know, but \($0.value) and later; leave it "
                + "out, or install a newer libpq"
        }
    }

    private static func parse(_ url: String) throws(PostgreSQLError) -> [String: String] {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
            throw PostgreSQLError(.invalidURL, "does not begin with postgres://")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            // libpq's message may repeat any part of the URL.
            PQfreemem(message)
            throw PostgreSQLError(
                .invalidURL,
                tooNew(keywords(in: url), for: Int(PQlibVersion()) / 10_000)
                    ?? "is malformed, or has a parameter that libpq does not know; write postgres://USER@HOST/DATABASE"
            )
        }
        defer { PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = options
        // The list ends with an entry without a keyword.
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                parameters[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return parameters
    }
}
