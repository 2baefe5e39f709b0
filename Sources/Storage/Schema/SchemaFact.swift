package import Offers

/// A part of a schema, such as a column or a trigger, in words and with its definition.
///
/// The migrations alone say which parts our tables have: they are run in an empty database in memory, and any other part
/// is code or a rule that somebody else has put there.
struct SchemaFact: Hashable {
    let table: String
    let what: String
    /// The definition, without what the same one may be written with or without.
    let definition: String

    init(_ table: String, _ what: String, _ definition: String = "") {
        self.table = table
        self.what = what
        self.definition = definition
    }

    fileprivate var kind: String { String(what.prefix { $0 != " " }) }

    /// The parts that a database has after the migrations.
    static func expected(of dialect: SQLDialect) throws(StorageFailure) -> Set<SchemaFact> {
        try (dialect == .sqlite ? sqlite : postgreSQL).get()
    }

    static func tables(of dialect: SQLDialect) throws(StorageFailure) -> Set<String> {
        Set(try expected(of: dialect).map(\.table))
    }

    /// The differences of what is there to what has to be, in a few words each; none where there are none.
    static func differences(of found: Set<SchemaFact>, in dialect: SQLDialect) throws(StorageFailure) -> [String] {
        let expected = try expected(of: dialect)
        let (added, missing) = (found.subtracting(expected), expected.subtracting(found))
        let (addedNames, missingNames) = (Set(added.map(\.what)), Set(missing.map(\.what)))
        // Of a table that is gone, its parts are not named, nor those of what is in its place.
        let isPart: (SchemaFact) -> Bool = { fact in
            missingNames.contains("table \(fact.table)") && ["column", "primary", "index"].contains(fact.kind)
        }
        let others = added.filter { !isPart($0) }.map { fact in
            (fact.kind, "\(fact.what) \(missingNames.contains(fact.what) ? "was changed" : "was added")")
        }
        let gone = missing.filter { !isPart($0) && !addedNames.contains($0.what) }
            .map { ($0.kind, "\($0.what) is missing") }
        // Code comes first.
        let order = ["trigger", "rule", "view", "virtual", "policy"]
        func place(_ kind: String) -> Int { order.firstIndex(of: kind) ?? order.count }
        return (others + gone).sorted { (place($0.0), $0.1) < (place($1.0), $1.1) }.map(\.1)
    }

    /// Why nothing is signed.
    static func fault(_ differences: [String]) -> StorageFailure {
        let more = differences.count > 5 ? " and \(differences.count - 5) more" : ""
        return StorageFailure(
            .malformed,
            "the ledger's tables were changed by somebody: \(differences.prefix(5).joined(separator: "; "))\(more); "
                + "nothing is signed until they are again as offer-signer makes them"
        )
    }

    /// A name as a message has it: somebody else chose it.
    static func name(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter { (33..<127).contains($0.value) }.prefix(63)))
    }
}

// MARK: What the migrations give

extension SchemaFact {
    private static let sqlite = Result { () throws(StorageFailure) in
        let session = try inMemory()
        try Migration.migrate(session, at: "memory")
        return try session.sqliteFacts()
    }

    private static let postgreSQL = Result { () throws(StorageFailure) in try postgreSQL(after: Migration.inOrder) }

    /// The parts that PostgreSQL has after steps: SQLite reads the statements, and knows then which columns and indexes they
    /// give.
    static func postgreSQL(after steps: [Migration]) throws(StorageFailure) -> Set<SchemaFact> {
        let session = try inMemory()
        var methods: [String: String] = [:]
        let all = steps.flatMap { $0.statements + ($0.others[.postgreSQL] ?? []) }
        for sql in [Migration.table] + all where sql.firstMatch(of: /^(ALTER TABLE \w+ SET \(|INSERT)/) == nil {
            if let index = sql.firstMatch(of: /INDEX (\w+) ON \w+ USING (\w+)/) {
                methods[String(index.1)] = String(index.2)
            }
            try session.run(sql.replacing(#/ USING \w+/#, with: ""))
        }
        var facts: Set<SchemaFact> = []
        for table in Set(try session.sqliteFacts().map(\.table)) {
            facts.insert(SchemaFact(table, "table \(table)"))
            let columns = try session.run(
                "SELECT name, lower(type) || CASE WHEN \"notnull\" = 1 OR pk > 0 THEN ' not null' ELSE '' END "
                    + "|| coalesce(' default ' || dflt_value, '') FROM pragma_table_info($1)",
                .text(table)
            )
            for row in columns.rows {
                facts.insert(
                    SchemaFact(table, "column \(table).\(try columns.text(row, 0))", plain(try columns.text(row, 1)))
                )
            }
            let indexes = try session.run(
                """
                SELECT list.name, origin, CASE WHEN "unique" = 1 THEN 'unique ' ELSE '' END,
                    (SELECT group_concat(part, ', ') FROM (
                        SELECT name || CASE WHEN desc = 1 THEN ' desc' ELSE '' END AS part
                        FROM pragma_index_xinfo(list.name) WHERE key = 1 ORDER BY seqno)),
                    (SELECT substr(sql, instr(sql, ' WHERE ')) FROM sqlite_master
                        WHERE sqlite_master.name = list.name AND list.partial = 1)
                FROM pragma_index_list($1) AS list
                """,
                .text(table)
            )
            for row in indexes.rows {
                let name = try indexes.text(row, 0)
                let definition =
                    "\(try indexes.text(row, 2)) \(methods[name] ?? "btree") (\(try indexes.text(row, 3)))"
                    + (try indexes.optionalText(row, 4) ?? "")
                let what = try indexes.text(row, 1) == "pk" ? "primary key of \(table)" : "index \(name) on \(table)"
                facts.insert(SchemaFact(table, what, plain(definition)))
            }
        }
        return facts
    }

    private static func inMemory() throws(StorageFailure) -> SQLiteSession {
        do throws(SQLiteConnection.Failure) {
            let connection = try SQLiteConnection(":memory:", isReadOnly: false, busyTimeoutSeconds: 0)
            return SQLiteSession(connection: connection, path: "memory")
        } catch {
            throw StorageFailure(error, at: "memory")
        }
    }

    /// A definition without brackets, quotation marks, types of constants and spaces, and with small letters.
    static func plain(_ definition: String) -> String {
        definition.lowercased().replacing(/::\w+|[()"\s]/, with: "")
    }
}

// MARK: What is there

extension SQLiteSession {
    /// Checks the whole schema, unless it is the one that this connection has found sound.
    ///
    /// SQLite itself goes by this number: while it stays, the connection uses what it has read of the schema.
    func checkSchemaVersion() throws(StorageFailure) {
        let version = try run("PRAGMA schema_version").cells.first
        guard version != connection.soundSchema else { return }
        try checkSchema()
        connection.soundSchema = version
    }
}

extension Session {
    /// The differences of the schema to that which the migrations make, in a few words each; none where there are none.
    func schemaDifferences() throws(StorageFailure) -> [String] {
        guard dialect == .sqlite else { return try SchemaFact.differences(of: postgreSQLFacts(), in: .postgreSQL) }
        let ours = try SchemaFact.tables(of: .sqlite)
        // Tables of others are no part of ours, but code is, whatever it is about.
        let found = try sqliteFacts().filter { fact in
            ours.contains(fact.table) || !["table", "index"].contains(fact.kind)
        }
        return try SchemaFact.differences(of: found, in: .sqlite)
    }

    /// The parts of an SQLite schema, each with its statement as its definition: SQLite itself reads nothing else.
    fileprivate func sqliteFacts() throws(StorageFailure) -> Set<SchemaFact> {
        let rows = try run("SELECT type, name, tbl_name, sql FROM sqlite_master")
        var facts: Set<SchemaFact> = []
        for row in rows.rows {
            let (type, name) = (try rows.text(row, 0), SchemaFact.name(try rows.text(row, 1)))
            let table = SchemaFact.name(try rows.text(row, 2))
            // A table that was renamed, and got its name back, has it in quotation marks; in others is something else.
            let sql = (try rows.optionalText(row, 3) ?? "").replacing("\"\(table)\"", with: table)
            let words = sql.split(whereSeparator: \.isWhitespace)
            let kind = type == "table" && words.dropFirst().first?.lowercased() == "virtual" ? "virtual table" : type
            let place = ["index", "trigger"].contains(type) ? " on \(table)" : ""
            facts.insert(SchemaFact(table, "\(kind) \(name)\(place)", words.joined(separator: " ")))
        }
        return facts
    }

    /// Refuses a schema with anything in it that the migrations have not made, or without anything that they have.
    func checkSchema() throws(StorageFailure) {
        let differences = try schemaDifferences()
        guard !differences.isEmpty else { return }
        // It may be no attack: a newer version is there, and this one knows less.
        let others = ((try? Migration.made(self)) ?? []).subtracting(Migration.inOrder.map(\.name)).sorted()
        throw SchemaFact.fault(others.map { "step \(SchemaFact.name($0)) of another version was made" } + differences)
    }
}

extension SQLDatabase {
    /// The differences of the schema to that which the migrations make, in a few words each; none where there are none.
    package func schemaDifferences() throws(StorageFailure) -> [String] {
        try read { session throws(StorageFailure) in try session.schemaDifferences() }
    }

    /// Why nothing is signed with the schema as it is; `nil` where it is as the migrations make it.
    package func schemaFault() throws(StorageFailure) -> StorageFailure? {
        let differences = try schemaDifferences()
        return differences.isEmpty ? nil : SchemaFact.fault(differences)
    }
}
