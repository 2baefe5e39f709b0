import Foundation
import Offers
import Testing

@testable import Storage

/// Changes of the tables that no service makes: what is said of each, what is done, and what takes it back.
///
/// SQLite: in quotation marks, a word is a part of the type. PostgreSQL: without a policy the owner alone sees rows; and another
/// schema can take the place of the one that has the tables, in which nothing changes.
enum SchemaAttacks {
    static let sqlite = TableRow.rows(
        """
        trigger evil on ledger_records was added
            CREATE TRIGGER evil AFTER INSERT ON ledger_records BEGIN DELETE FROM ledger_records; END
          → DROP TRIGGER evil
        trigger evil on ledger_records was added
            CREATE TRIGGER evil BEFORE INSERT ON ledger_records BEGIN SELECT RAISE(IGNORE); END
          → DROP TRIGGER evil
        trigger evil on offer_counts was added
            CREATE TRIGGER evil AFTER INSERT ON offer_counts BEGIN DELETE FROM ledger_records; END
          → DROP TRIGGER evil
        trigger evil on others was added
            CREATE TABLE others (value TEXT)
            CREATE TRIGGER evil AFTER INSERT ON others BEGIN DELETE FROM ledger_records; END
          → DROP TABLE others
        view ledger_records was added
            ALTER TABLE ledger_records RENAME TO hidden
            CREATE VIEW ledger_records AS SELECT * FROM hidden WHERE 0
            CREATE TRIGGER evil INSTEAD OF INSERT ON ledger_records BEGIN SELECT 1; END
          → DROP VIEW ledger_records
          → ALTER TABLE hidden RENAME TO ledger_records
        view mine was added
            CREATE VIEW mine AS SELECT 1
          → DROP VIEW mine
        table ledger_presentations was changed
            ALTER TABLE ledger_presentations ADD COLUMN evil TEXT CHECK (evil IS NULL)
          → ALTER TABLE ledger_presentations DROP COLUMN evil
        table state_generation was changed
            ALTER TABLE state_generation RENAME TO hidden
            CREATE TABLE state_generation (id BIGINT NOT NULL PRIMARY KEY, generation BIGINT "NOT" NULL)
            INSERT INTO state_generation SELECT * FROM hidden
          → DROP TABLE state_generation
          → ALTER TABLE hidden RENAME TO state_generation
        index evil on ledger_records was added
            CREATE UNIQUE INDEX evil ON ledger_records (nonce)
          → DROP INDEX evil
        index ledger_records_time on ledger_records is missing
            DROP INDEX ledger_records_time
          → CREATE INDEX ledger_records_time ON ledger_records (time)
        index ledger_records_time on ledger_records was changed
            DROP INDEX ledger_records_time
            CREATE INDEX ledger_records_time ON ledger_records (client)
          → DROP INDEX ledger_records_time
          → CREATE INDEX ledger_records_time ON ledger_records (time)
        """
    )

    private static func function(_ body: String) -> String {
        "CREATE OR REPLACE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(body) END'"
    }

    static let postgreSQL = TableRow.rows(
        """
        trigger evil on ledger_records was added
            \(function("DELETE FROM ledger_records; RETURN NULL;"))
            CREATE TRIGGER evil AFTER INSERT ON ledger_records FOR EACH ROW EXECUTE FUNCTION evil()
          → DROP TRIGGER evil ON ledger_records
        trigger evil on ledger_records was added
            \(function("RETURN NULL;"))
            CREATE TRIGGER evil BEFORE INSERT ON ledger_records FOR EACH ROW EXECUTE FUNCTION evil()
          → DROP TRIGGER evil ON ledger_records
        trigger evil on ledger_records was added
            \(function("DELETE FROM ledger_records; RETURN NULL;"))
            CREATE CONSTRAINT TRIGGER evil AFTER INSERT ON ledger_records DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
        EXECUTE FUNCTION evil()
          → DROP TRIGGER evil ON ledger_records
        trigger evil on ledger_records was added
            \(function("RAISE EXCEPTION USING ERRCODE = ''22012'';"))
            CREATE TRIGGER evil BEFORE INSERT ON ledger_records FOR EACH STATEMENT EXECUTE FUNCTION evil()
          → DROP TRIGGER evil ON ledger_records
        trigger evil on offer_counts was added
            \(function("DELETE FROM ledger_records; RETURN NULL;"))
            CREATE TRIGGER evil AFTER INSERT ON offer_counts FOR EACH ROW EXECUTE FUNCTION evil()
          → DROP TRIGGER evil ON offer_counts
        trigger RI_ConstraintTrigger
            CREATE TABLE others (writer TEXT, number BIGINT, FOREIGN KEY (writer, number) REFERENCES ledger_records)
          → DROP TABLE others
        rule evil on ledger_records was added
            CREATE RULE evil AS ON INSERT TO ledger_records DO INSTEAD NOTHING
          → DROP RULE evil ON ledger_records
        view ledger_records was added
            ALTER TABLE ledger_records RENAME TO hidden
            CREATE VIEW ledger_records AS SELECT * FROM hidden
          → DROP VIEW ledger_records
          → ALTER TABLE hidden RENAME TO ledger_records
        policy evil on ledger_records was added
            ALTER TABLE ledger_records ENABLE ROW LEVEL SECURITY
            CREATE POLICY evil ON ledger_records USING (false)
          → DROP POLICY evil ON ledger_records
          → ALTER TABLE ledger_records DISABLE ROW LEVEL SECURITY
        table ledger_records was changed
            ALTER TABLE ledger_records ENABLE ROW LEVEL SECURITY
          → ALTER TABLE ledger_records DISABLE ROW LEVEL SECURITY
        column ledger_records.client was changed
            ALTER TABLE ledger_records ALTER COLUMN client TYPE TEXT COLLATE "POSIX"
          → ALTER TABLE ledger_records ALTER COLUMN client TYPE TEXT COLLATE "default"
        column ledger_records.evil was added
            ALTER TABLE ledger_records ADD COLUMN evil DOUBLE PRECISION DEFAULT random()
          → ALTER TABLE ledger_records DROP COLUMN evil
        column ledger_records.time was changed
            ALTER TABLE ledger_records ALTER COLUMN time ADD GENERATED BY DEFAULT AS IDENTITY
          → ALTER TABLE ledger_records ALTER COLUMN time DROP IDENTITY
        column kept_answers.body was changed
            ALTER TABLE kept_answers ALTER COLUMN body SET DEFAULT '\\x00'
          → ALTER TABLE kept_answers ALTER COLUMN body DROP DEFAULT
        column ledger_records.client was changed
            CREATE DOMAIN evil AS TEXT
            ALTER TABLE ledger_records ALTER COLUMN client TYPE evil
          → ALTER TABLE ledger_records ALTER COLUMN client TYPE TEXT
          → DROP DOMAIN evil
        column ledger_records.client was changed
            CREATE DOMAIN "TEXT" AS TEXT CHECK (length(VALUE) > 0)
            ALTER TABLE ledger_records ALTER COLUMN client TYPE "TEXT"
          → ALTER TABLE ledger_records ALTER COLUMN client TYPE TEXT
          → DROP DOMAIN "TEXT"
        column ledger_records.time was changed
            CREATE DOMAIN "bigint" AS BIGINT
            ALTER TABLE ledger_records ALTER COLUMN time TYPE "bigint"
          → ALTER TABLE ledger_records ALTER COLUMN time TYPE BIGINT
          → DROP DOMAIN "bigint"
        index ledger_records_time on ledger_records was changed
            CREATE DOMAIN evil AS TEXT CHECK (length(VALUE) > 0)
            DROP INDEX ledger_records_time
            CREATE INDEX ledger_records_time ON ledger_records ((time::TEXT::evil))
          → DROP INDEX ledger_records_time
          → CREATE INDEX ledger_records_time ON ledger_records (time)
          → DROP DOMAIN evil
        rule _RETURN on held_accounts was added
            ALTER SCHEMA public RENAME TO hidden
            CREATE SCHEMA public
            DO 'DECLARE name TEXT; BEGIN FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = ''hidden'' \
        LOOP EXECUTE format(''CREATE VIEW public.%I AS SELECT * FROM hidden.%I'', name, name); END LOOP; END'
          → DROP SCHEMA public CASCADE
          → ALTER SCHEMA hidden RENAME TO public
        constraint evil on ledger_records was added
            ALTER TABLE ledger_records ADD CONSTRAINT evil CHECK (length(client) > 0)
          → ALTER TABLE ledger_records DROP CONSTRAINT evil
        inheritance of ledger_records was added
            CREATE TABLE child () INHERITS (ledger_records)
          → DROP TABLE child
        table ledger_records was changed
            ALTER TABLE ledger_records SET UNLOGGED
          → ALTER TABLE ledger_records SET LOGGED
        index evil on ledger_records was added
            CREATE INDEX evil ON ledger_records (length(client))
          → DROP INDEX evil
        index ledger_records_time on ledger_records was changed
            DROP INDEX ledger_records_time
            CREATE INDEX ledger_records_time ON ledger_records (client)
          → DROP INDEX ledger_records_time
          → CREATE INDEX ledger_records_time ON ledger_records (time)
        index ledger_records_nonce on ledger_records is missing
            DROP INDEX ledger_records_nonce
          → CREATE INDEX ledger_records_nonce ON ledger_records USING hash (nonce)
        """
    )

    /// What servers before PostgreSQL 18 do not know.
    static let postgreSQL18 = TableRow.rows(
        """
        constraint ledger_records_client_not_null on ledger_records was added
            ALTER TABLE ledger_records DROP CONSTRAINT ledger_records_client_not_null
            ALTER TABLE ledger_records ADD CONSTRAINT ledger_records_client_not_null NOT NULL client NOT VALID
          → ALTER TABLE ledger_records VALIDATE CONSTRAINT ledger_records_client_not_null
        """
    )
}

@Suite("Code in the ledger's database, and tables that are not as they were made", .timeLimit(.minutes(30)))
struct SchemaAttackTests {
    /// A ledger with a service at work does what it should before, during and after an attack.
    private func withstand(_ attack: TableRow, in home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(account: "before", limit: 1, at: fixture.now)])
        try fixture.execute(attack.statements)
        // A service that is at work, whatever it does, and one that starts.
        for store in [store, try fixture.store()] {
            let commit = #expect(throws: StorageFailure(.malformed, "")) {
                try store.commit([.of(account: "during", limit: 1, at: fixture.now)])
            }
            let probe = #expect(throws: StorageFailure(.malformed, "")) { try store.probe() }
            let upkeep = #expect(throws: StorageFailure(.malformed, "")) { try store.writeCheckpoint() }
            for failure in [commit, probe, upkeep] {
                #expect(failure?.detail.contains(attack.testDescription) == true, "\(failure?.detail ?? "")")
            }
        }
        let differences = try fixture.database(readOnly: true).schemaDifferences()
        #expect(differences.contains { $0.hasPrefix(attack.testDescription) }, "\(differences)")
        try fixture.execute(attack.outcomes)
        #expect(try store.commit([.of(account: "after", limit: 1, at: fixture.now)]) == [[.recorded]])
        #expect(try fixture.database(readOnly: true).schemaDifferences() == [])
        let found = try fixture.verify()
        #expect(found.faults.isEmpty && found.records == 2, "\(found.faults), \(found.records)")
    }

    @Test(
        "SQLite: nothing is signed while it is there, and all that looks says what it is",
        arguments: SchemaAttacks.sqlite
    )
    func sqlite(attack: TableRow) throws { try withstand(attack, in: .sqlite) }

    @Test(
        "PostgreSQL: nothing is signed while it is there, and all that looks says what it is",
        arguments: SchemaAttacks.postgreSQL
    )
    func postgreSQL(attack: TableRow) throws { try withstand(attack, in: .postgresql) }

    @Test(
        "PostgreSQL 18: a NOT NULL that is not valid is a difference",
        .enabled(if: TestServer.version >= 180_000, "older servers know none"),
        arguments: SchemaAttacks.postgreSQL18
    )
    func notValid(attack: TableRow) throws { try withstand(attack, in: .postgresql) }

    @Test(
        "A new database is as the migrations make it, by a derivation that asks no server",
        arguments: LedgerHome.allCases
    )
    func new(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        #expect(try fixture.database().schemaDifferences() == [])
        let dialect: SQLDialect = home == .sqlite ? .sqlite : .postgreSQL
        let tables = try SchemaFact.tables(of: dialect)
        #expect(tables.isSuperset(of: ["ledger_records", "ledger_losses", "redemptions", "schema_migrations"]))
        #expect(try SchemaFact.expected(of: dialect).count > 30)
    }

    @Test("A later step adds columns, defaults and partial indexes, and both databases are as it says")
    func laterStep() throws {
        // As for the steps of this version, whatever they are: this one stands for those to come.
        let statements = [
            "ALTER TABLE notifications ADD COLUMN told_at BIGINT",
            "ALTER TABLE notifications ADD COLUMN note TEXT DEFAULT ''",
            "CREATE INDEX notifications_told ON notifications (bundle_id, told_at DESC) WHERE told_at IS NOT NULL",
        ]
        let fixture = try LedgerFixture(.postgresql)
        try fixture.execute(statements)
        let found = try fixture.database(readOnly: true).read { session throws(StorageFailure) in
            try session.postgreSQLFacts()
        }
        let steps = Migration.inOrder + [Migration("later", statements)]
        #expect(found == (try SchemaFact.postgreSQL(after: steps)))
    }

    @Test("Other objects in a PostgreSQL database concern nobody, nor do tables of others in a file")
    func others() throws {
        for home in LedgerHome.allCases {
            let fixture = try LedgerFixture(home)
            let store = try fixture.store()
            _ = try store.commit([.of(at: fixture.now)])
            try fixture.execute("CREATE TABLE others (value TEXT)", "CREATE INDEX others_value ON others (value)")
            if home == .postgresql {
                try fixture.execute(
                    "CREATE VIEW names AS SELECT client FROM ledger_records",
                    "CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                    "CREATE TRIGGER touch BEFORE INSERT ON others FOR EACH ROW EXECUTE FUNCTION touch()",
                    "GRANT SELECT ON ledger_records TO PUBLIC",
                    "ANALYZE"
                )
            }
            #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
            #expect(try fixture.database(readOnly: true).schemaDifferences() == [])
        }
    }

    @Test("Rows that other transactions wrote have another sum, whatever the numbers, and where half of all are used")
    func sums() throws {
        let connection = try PostgreSQLConnection(to: try TestServer.makeDatabase())
        func sum(_ transactions: UInt32...) throws -> String {
            let rows = transactions.map { "('\($0)'::xid)" }.joined(separator: ", ")
            let sum = "SELECT \(PostgreSQLSchema.sum("7"))::text FROM (VALUES \(rows)) AS rows (xmin)"
            return try connection.query(sum).text(0, 0)
        }
        #expect(try sum(1000, 1003) == sum(1003, 1000))
        #expect(try sum(1000, 1003) != sum(1001, 1002))
        #expect(try sum(1000, 1003) != sum(1000, 1003, 3))
        #expect(try sum(1 << 31 + 100) != sum(1 << 31 + 101))
    }

    @Test("Functions, operators and tables that a role's path puts first are not used")
    func path() throws {
        let location = try TestServer.makeDatabase()
        let administrator = try PostgreSQLConnection(to: location)
        let database = try administrator.query("SELECT current_database()::text").text(0, 0)
        try PostgreSQLDatabase.migrate(administrator, at: "here")
        for sql in [
            "CREATE SCHEMA evil", "CREATE TABLE evil.ledger_records (writer TEXT)",
            "CREATE FUNCTION evil.equal(TEXT, TEXT) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT false'",
            "CREATE OPERATOR evil.= (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = evil.equal)",
            "CREATE FUNCTION evil.equal(OID, OID) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT false'",
            "CREATE OPERATOR evil.= (LEFTARG = OID, RIGHTARG = OID, FUNCTION = evil.equal)",
            "CREATE FUNCTION evil.set_config(TEXT, TEXT, BOOLEAN) RETURNS TEXT LANGUAGE sql AS 'SELECT $2'",
            "CREATE FUNCTION evil.to_regclass(TEXT) RETURNS regclass LANGUAGE sql AS 'SELECT NULL::regclass'",
            "CREATE FUNCTION evil.pg_is_in_recovery() RETURNS BOOLEAN LANGUAGE sql AS "
                + "'SELECT pg_catalog.set_config(''synchronous_commit'', ''off'', false) IS NULL'",
            "ALTER DATABASE \(database) SET search_path = evil, pg_catalog, public",
        ] { try administrator.query(sql) }
        let connection = try PostgreSQLConnection(to: location)
        #expect(try connection.query("SELECT 'a'::text = 'a'::text").cells == [.boolean(false)])
        try connection.query(PostgreSQLDatabase.stay)
        #expect(try connection.query("SELECT 'a'::text = 'a'::text").cells == [.boolean(true)])
        #expect(try connection.query("SHOW search_path").text(0, 0) == "public, pg_temp")
        #expect(try connection.query("SHOW statement_timeout").text(0, 0) == "4s")
        #expect(try connection.query("SHOW synchronous_commit").text(0, 0) == "on")
        try connection.query("CREATE TEMP TABLE ledger_records (writer TEXT)")
        #expect(try connection.query("SELECT number FROM ledger_records").count == 0)
    }
}
