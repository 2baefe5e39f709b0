import Offers
import Testing

@testable import Storage

@Suite("Where PostgreSQL is")
struct PostgreSQLLocationTests {
    @Test(
        "A password, a service, an engine's key or a malformed URL is refused, and nothing of it is repeated",
        arguments: [
            ("postgres://me:hunter2secret@db/offers", "passfile"),
            ("postgres://db/offers?user=me&password=hunter2secret", "passfile"),
            ("postgres://db/offers?sslkey=client.key&sslpassword=hunter2secret", "sslkey"),
            ("postgres://db/offers?service=hunter2secret", "service"),
            ("postgres://db/offers?sslkey=engine:hunter2secret", "engine"),
            ("postgres://db/offers?scram_client_key=hunter2secret", "scram_client_key"),
            ("postgres://db/offers?sslmode=require&scram_server_key=hunter2secret", "scram_server_key"),
            ("postgres://db/offers?oauth_client%5Fsecret=hunter2secret", "oauth_client_secret"),
            ("postgres://db/?sslkeylogfile=hunter2secret", "sslkeylogfile"),
            ("postgres://db:99999/offers", "65535"), ("postgres://db-1,db-2:0/offers", "65535"),
            ("postgres://db:99999999999999999999/offers", "65535"), ("postgres://db:+5432/offers", "65535"),
            ("postgres://db/offers?port=6432,x", "65535"),
            ("postgres://db/offers?sslmode=hunter2secret", "verify-full"),
            ("postgres://db/offers?hunter2secret=1", "libpq"),
            ("postgres://db:hunter2secret:1/offers%zz", "malformed"),
            ("mysql://me:hunter2secret@db/offers", "postgres://"), ("host=db password=hunter2secret", "postgres://"),
        ]
    )
    func refused(url: String, word: String) {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLLocation(url: url) }
        #expect(error?.code == .invalidURL)
        #expect(error?.description.contains(word) == true)
        #expect(error?.description.contains("hunter2secret") == false)
    }

    @Test("The URL's TLS parameters reach libpq unchanged, and win over the service's defaults")
    func parameters() throws {
        let url = "postgresql://me@db-1:6432,db-2/offers?sslmode=verify-full&sslrootcert=/etc/ca.pem&keepalives_idle=60"
        let parameters = try PostgreSQLLocation(url: url).parameters
        #expect(parameters["host"] == "db-1,db-2")
        #expect(parameters["port"] == "6432,")
        #expect(parameters["user"] == "me")
        #expect(parameters["dbname"] == "offers")
        #expect(parameters["sslmode"] == "verify-full")
        #expect(parameters["sslrootcert"] == "/etc/ca.pem")
        #expect(parameters["keepalives_idle"] == "60")
        #expect(parameters["target_session_attrs"] == "read-write")
        #expect(parameters["gssencmode"] == "disable")
    }

    @Test(
        "Each of several hosts is a place of its own, with its port",
        arguments: [
            ("postgres://db-1:6432,db-2/offers", ["db-1:6432", "db-2:5432"]),
            ("postgres://db-1,db-2/offers?port=6432", ["db-1:6432", "db-2:6432"]),
            ("postgres:///offers?host=/run/a,/run/b&port=5432,5433", ["/run/a", "/run/b, port 5433"]),
            ("postgres://[::1]/offers", ["[::1]:5432"]), ("postgres:///offers?hostaddr=192.0.2.1", ["192.0.2.1:5432"]),
            // Which of the two has the third port is for libpq to refuse.
            ("postgres://db-1,db-2/offers?port=1,2,3", ["db-1,db-2:1,2,3"]),
        ]
    )
    func hosts(url: String, places: [String]) throws {
        let location = try PostgreSQLLocation(url: url)
        #expect(location.hosts.map(\.place) == places)
        #expect(location.hosts.allSatisfy { $0.parameters["dbname"] == "offers" })
    }

    @Test("Where a standby is preferred, all hosts are asked for one before any other will do")
    func preferStandby() throws {
        let hosts = try PostgreSQLLocation(url: "postgres://a,b/offers?target_session_attrs=prefer-standby").hosts
        #expect(hosts.map { $0.parameters["target_session_attrs"] } == ["standby", "standby", "any", "any"])
        #expect(hosts.map { $0.parameters["host"] } == ["a", "b", "a", "b"])
    }

    @Test(
        "A server over the network that is not asked for its certificate is worth a warning",
        arguments: [
            ("postgres://db/offers", true), ("postgres://db/offers?sslmode=require", true),
            ("postgres://127.0.0.1,db/offers", true), ("postgres://db/offers?sslmode=verify-full", false),
            ("postgres://db/offers?sslmode=verify-ca", false), ("postgres://127.0.0.1/offers", false),
            ("postgres://localhost/offers", false), ("postgres://[::1]/offers", false),
            ("postgres:///offers?host=/run/postgresql", false), ("postgres:///offers", false),
            ("postgres:///offers?hostaddr=192.0.2.1", true),
        ]
    )
    func warning(url: String, isExpected: Bool) throws {
        #expect((try PostgreSQLLocation(url: url).warning != nil) == isExpected)
    }

    @Test("A parameter that this libpq is too old for is named, with the version that knows it")
    func newParameter() throws {
        let named: Set = ["sslmode", "min_protocol_version"]
        #expect(PostgreSQLLocation.tooNew(named, for: 15)?.contains("has min_protocol_version") == true)
        #expect(PostgreSQLLocation.tooNew(named, for: 17)?.contains("libpq of this system (17)") == true)
        #expect(PostgreSQLLocation.tooNew(named, for: 18) == nil)
        let message = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLLocation(url: "postgres://a@b/c?nonsense=1")
        }
        #expect(message?.detail.contains("has a parameter that libpq does not know") == true)
    }

    /// What libpq 15, 17 and 18 said (psql, and psycopg 3.3.9): a refused connection and silence end by themselves.
    @Test(
        "What libpq says of a failed connection lasts, unless every address was silent or refused",
        arguments: [
            ("1.2.3.4|Connection refused", nil), ("1.2.3.4|No route to host", nil),
            ("1.2.3.4|server closed the connection unexpectedly", nil),
            ("1.2.3.4|SSL error: certificate verify failed", "sslrootcert has to name the CA"),
            (
                #"1.2.3.4|server only supports protocol version 3.0, but "min_protocol_version" was set to 3.2"#,
                "leave min_prot"
            ),
            (
                #"|weak sslmode "prefer" may not be used with sslnegotiation=direct (use "require")"#,
                "say sslmode=require"
            ),
            (
                #"|could not translate host name "nowhere" to address: Name or service not known"#,
                "there is no such host"
            ),
            (#"|could not translate host name "nowhere" to address: Temporary failure in name resolution"#, nil),
            ("1.2.3.4|SSL error: unexpected eof while reading", "sslnegotiation=direct"),
        ]
    )
    func connectionFailures(said: String, fix: String?) {
        let parts = said.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].isEmpty ? "" : #"connection to server at "\#(parts[0])", port 5432 failed: "#
        let refused = #"connection to server at "::1", port 5432 failed: Connection refused"#
        let error = ConnectionFailure([refused, place + parts[1]]).error("said")
        #expect(error.code == (fix == nil ? .unreachable : .impossible))
        #expect(fix.map { error.detail.contains($0) } ?? (error.detail == "said"), "\(error.detail)")
    }

    @Test("A server that only reads is one that turns the service away")
    func onlyReads() {
        let read = ConnectionFailure([#"connection to server at "1.2.3.4", port 5432 failed: session is read-only"#])
            .error("s")
        #expect(read.code == .turnedAway(SQLState("25006")))
        #expect(StorageFailure(read, at: "x").code == .turnedAway)
    }
}
