/// The five characters by which a server says what is wrong (PostgreSQL's manual, appendix A).
///
/// The first two are the class. Texts of a server may repeat data, and are not kept; a code never does.
package struct SQLState: Equatable, Hashable, Sendable, CustomStringConvertible {
    /// Five characters, such as `23505`.
    package let code: String

    package init(_ code: String) {
        self.code = code
    }

    /// Another transaction kept what was to be locked (`lock_timeout`).
    package static let lockNotAvailable = SQLState("55P03")
    /// The statement took too long, or somebody cancelled it.
    package static let cancelled = SQLState("57014")
    package static let notAllowed = SQLState("42501")
    /// A row with the same key is there.
    package static let alreadyThere = SQLState("23505")

    /// The server only reads.
    static let readOnly = SQLState("25006")

    package static let diskFull = SQLState("53100")

    package var classCode: Substring { code.prefix(2) }

    /// Whether the same statement may succeed later, with nothing else changed.
    ///
    /// Connections (08), transactions that collided (40), resources (53), locks (55), operators and shutdowns (57),
    /// the server's system (58), and a server that only reads, as the old primary does after a failover (25006).
    package var isRetryable: Bool {
        ["08", "40", "53", "55", "57", "58"].contains(classCode) || self == .readOnly
    }

    /// Whether a server that starts or stops says so to those who connect: it comes to an end by itself.
    var isOfStart: Bool { code.hasPrefix("57P") }

    /// Whether it is for the values that were to be written: data (22), rules of the tables (23), sizes (54).
    var isForValues: Bool { ["22", "23", "54"].contains(classCode) }

    /// Whether the connection is of no more use: the server goes, or is not the one to write to.
    package var endsConnection: Bool {
        classCode == "08" || code.hasPrefix("57P") || self == .readOnly
    }

    /// Whether a statement ran in another session than that which was set up: its proof failed, or what was prepared there is
    /// not this connection's; or a pooler, which alone says so, takes no transaction of more than a statement.
    var isOfAnotherSession: Bool { ["2201E", "26000", "42P05", "08P01"].contains(code) }

    private var meaning: String {
        switch (code, classCode) {
        case ("23505", _): "a row with this key is there already"
        case ("25006", _):
            "the server only reads: it is a standby, or default_transaction_read_only is on for the server, the database or "
                + "the role"
        case ("08P01", _):
            "a pooler refused it, or the server does not know what was asked; see what it says, the pooler's databases, users "
                + "and ignore_startup_parameters, and the log of both"
        case ("28P01", _):
            "the password is wrong or missing, or its time is over (VALID UNTIL of the role); see the passfile (PGPASSFILE), "
                + "and the server's log, which says which"
        case ("28000", _): "the server does not let this user in from here; see its pg_hba.conf and its roles"
        case ("3D000", _): "there is no such database"
        case ("3F000", _): "search_path names no schema that is there"
        case ("42501", _): "the user may not do this; grant it the rights that deploy/postgresql.md names"
        case ("42P01", _), ("42703", _): "a table or column is missing"
        case ("53100", _): "the server's disk is full; make room where its data and pg_wal are"
        case ("53200", _): "the server is out of memory, or of room for locks (max_locks_per_transaction)"
        case ("53300", _):
            "there are too many connections: of the server (max_connections), or of the role or the database (CONNECTION "
                + "LIMIT); each service takes five, and some for moments; raise what it names, or end some"
        case ("55000", _): "the database takes no connections (ALTER DATABASE … ALLOW_CONNECTIONS true)"
        case ("55P03", _): "another transaction keeps it locked; see pg_locks on the server"
        case ("57014", _): "the statement took too long, or was cancelled"
        case ("57P01", _), ("57P02", _), ("57P03", _): "the server starts or stops"
        case (_, "08"): "the connection failed"
        case (_, "22"): "a value is out of range"
        case (_, "23"): "a rule of the table was broken"
        case (_, "40"): "another transaction was in the way"
        case (_, "42"): "the statement is not valid there"
        case (_, "54"): "a value is too long"
        case (_, "53"): "the server is short of memory, disk or connections"
        case (_, "55"): "a lock was not to be had"
        case (_, "57"): "an operator intervened"
        case (_, "58"): "the server's system failed"
        default: "the server refused the statement"
        }
    }

    package var description: String { "\(meaning) (SQLSTATE \(code))" }
}
