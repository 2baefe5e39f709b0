import Offers
import PostgreSQLServer
import Testing

@testable import Storage

@Suite("A connection to PostgreSQL")
struct PostgreSQLConnectionTests {
    private let location: PostgreSQLLocation
    private let connection: PostgreSQLConnection

    init() throws {
        location = try TestServer.makeDatabase()
        connection = try PostgreSQLConnection(to: location)
    }

    @Test("Every kind of value comes back as it was sent, also where SQL would read it otherwise")
    func values() throws {
        let hostile = "'; DROP TABLE a; -- \" \\ \u{2063} é 🎁 $1"
        let row = try connection.query(
            "SELECT $1::int8, $2::text, $3::bytea, $4::bool, $5::int8, $6::text, $7::int8",
            .integer(.min),
            .text(hostile),
            .bytes([0, 1, 255, 0]),
            .boolean(true),
            .null,
            .text(""),
            .integer(-1)
        )
        #expect(try row.integer(0, 0) == .min)
        #expect(try row.text(0, 1) == hostile)
        #expect(try row.bytes(0, 2) == [0, 1, 255, 0])
        #expect(try row.boolean(0, 3))
        #expect(try row.optionalInteger(0, 4) == nil)
        #expect(try row.text(0, 5).isEmpty)
        #expect(try row.integer(0, 6) == -1)
        #expect(try connection.query("SELECT (-7)::int4").integer(0, 0) == -7)
    }

    @Test("Arrays come back in order, with their nulls, and empty ones empty")
    func arrays() throws {
        let sql =
            "SELECT a, b, c FROM unnest($1::int8[], $2::text[], $3::bytea[]) WITH ORDINALITY AS t (a, b, c, n) ORDER BY n"
        let rows = try connection.query(
            sql,
            .integers([3, nil, -1]),
            .texts(["x", "", nil]),
            .byteStrings([[1], nil, []])
        )
        #expect(try rows.rows.map { try rows.optionalInteger($0, 0) } == [3, nil, -1])
        #expect(try rows.rows.map { try rows.optionalText($0, 1) } == ["x", "", nil])
        #expect(try rows.rows.map { try rows.optionalBytes($0, 2) } == [[1], nil, []])
        #expect(try connection.query(sql, .integers([]), .texts([]), .byteStrings([])).count == 0)
    }

    @Test("A column of another type or without a value is an error, and not a wrong value")
    func shape() throws {
        let row = try connection.query("SELECT 'text', NULL::int8")
        #expect(throws: StorageFailure.self) { try row.integer(0, 0) }
        #expect(throws: StorageFailure.self) { try row.integer(0, 1) }
        #expect(throws: StorageFailure.self) { try row.text(0, 2) }
        #expect(throws: StorageFailure.self) { try row.text(1, 0) }
    }

    @Test("A batch is answered in order, much larger than what sockets hold")
    func largeBatch() throws {
        let text = String(repeating: "x", count: 4000)
        // Twelve megabytes take their time in a build that is not optimised, let alone with a sanitizer.
        var limits = PostgreSQLLimits()
        limits.batch = .seconds(60)
        limits.statement = .seconds(60)
        let connection = try PostgreSQLConnection(to: location, limits: limits)
        let answers = try connection.run(
            (0..<3000).map { SQLCall("SELECT $1::int8, $2::text", .integer($0), .text(text)) }
        )
        #expect(answers.count == 3000)
        #expect(try answers.enumerated().allSatisfy { try $0.element.integer(0, 0) == Int64($0.offset) })
    }

    @Test("When one statement of a batch is refused, none of the batch has an effect, and the connection goes on")
    func atomicBatch() throws {
        try connection.query("CREATE TABLE a (n int8 PRIMARY KEY)")
        func insert(_ number: Int64) -> SQLCall { SQLCall("INSERT INTO a VALUES ($1)", .integer(number)) }
        let batch = [1, 2, 1, 3].map(insert)
        #expect(throws: PostgreSQLError(.refused(SQLState("23505")), "a, a_pkey")) { try connection.run(batch) }
        #expect(try connection.query("SELECT count(*) FROM a").integer(0, 0) == 0)
        try connection.run([insert(1), insert(2)])
        #expect(try connection.query("SELECT count(*) FROM a").integer(0, 0) == 2)
    }

    @Test("A transaction decides by its reads, and is rolled back as a whole when the decision fails")
    func transaction() throws {
        try connection.query("CREATE TABLE a (n int8)")
        @Sendable func insert(_ number: Int64) -> SQLCall { SQLCall("INSERT INTO a VALUES ($1)", .integer(number)) }
        let sum = "SELECT coalesce(sum(n), 0)::int8 FROM a"
        let found = try PostgreSQLSession.transaction(on: connection, at: "here") { session throws(StorageFailure) in
            try session.send(insert(5))
            let found = try session.run(sum).integer(0, 0)
            try session.send(insert(found + 1))
            return found
        }.get()
        #expect(found == 5)
        #expect(try connection.query(sum).integer(0, 0) == 11)
        #expect(throws: StorageFailure(.abandoned, "")) {
            try PostgreSQLSession.transaction(on: connection, at: "here") { session throws(StorageFailure) in
                _ = try session.run([insert(100)])
                throw StorageFailure.abandoned
            }.get()
        }
        #expect(throws: PostgreSQLError.self) {
            try PostgreSQLSession.transaction(on: connection, at: "here") { session throws(StorageFailure) in
                try session.send(insert(100))
                try session.send(SQLCall("SELECT 1 / 0"))
            }
        }
        #expect(try connection.query(sum).integer(0, 0) == 11)
    }

    @Test(
        "A commit that the server confirmed counts, though the server ends before it says more",
        arguments: ServerProxy.End.allCases
    )
    func endAfterCommit(end: ServerProxy.End) throws {
        try connection.query("CREATE TABLE a (n int8)")
        let proxy = try ServerProxy(to: location)
        let connection = try PostgreSQLConnection(to: proxy.location)
        proxy.end(after: "COMMIT", by: end)
        let value = try PostgreSQLSession.transaction(on: connection, at: "here") { session throws(StorageFailure) in
            try session.send(SQLCall("INSERT INTO a VALUES (1)"))
            return 7
        }.get()
        #expect(value == 7)
        #expect(connection.isBroken)
        #expect(try self.connection.query("SELECT count(*) FROM a").integer(0, 0) == 1)
    }

    @Test("A server that ends before it has committed is reported by its code, and may be tried again")
    func endBeforeCommit() throws {
        try connection.query("CREATE TABLE a (n int8)")
        let proxy = try ServerProxy(to: location)
        let connection = try PostgreSQLConnection(to: proxy.location)
        proxy.end(after: "INSERT 0 1", by: .shutdown)
        let error = #expect(throws: PostgreSQLError(.refused(SQLState("57P01")))) {
            try connection.query("INSERT INTO a VALUES (1)")
        }
        #expect(error?.isRetryable == true)
        #expect(connection.isBroken)
    }

    @Test("Commits wait for the disk, also where the database says otherwise")
    func durability() throws {
        let name = try connection.query("SELECT current_database()::text").text(0, 0)
        for weaker in ["off", "local", "remote_write"] {
            try connection.query("ALTER DATABASE \(name) SET synchronous_commit = \(weaker)")
            let another = try PostgreSQLConnection(to: location)
            #expect(try another.query("SELECT current_setting('synchronous_commit')").text(0, 0) == "on")
        }
        try connection.query("ALTER DATABASE \(name) SET synchronous_commit = remote_apply")
        let third = try PostgreSQLConnection(to: location)
        #expect(try third.query("SELECT current_setting('synchronous_commit')").text(0, 0) == "remote_apply")
    }

    @Test("A statement that takes too long is ended by the server, and the connection goes on")
    func statementTimeout() throws {
        var limits = PostgreSQLLimits()
        limits.statement = .milliseconds(100)
        let connection = try PostgreSQLConnection(to: location, limits: limits)
        let cancelled = SQLState("57014")
        #expect(throws: PostgreSQLError(.refused(cancelled))) { try connection.query("SELECT pg_sleep(30)") }
        #expect(try connection.query("SELECT 1::int8").integer(0, 0) == 1)
        #expect(!connection.isBroken)
    }

    @Test("A server that does not answer is given up, and so is the connection")
    func batchTimeout() throws {
        var limits = PostgreSQLLimits()
        limits.batch = .milliseconds(100)
        let connection = try PostgreSQLConnection(to: location, limits: limits)
        #expect(throws: PostgreSQLError(.timedOut)) { try connection.query("SELECT pg_sleep(2)") }
        #expect(connection.isBroken)
        #expect(throws: PostgreSQLError(.connectionLost)) { try connection.query("SELECT 1") }
    }

    @Test("A server's error is reported by code and names; no value of ours is repeated")
    func noValues() throws {
        try connection.query("CREATE TABLE customers (account text PRIMARY KEY)")
        try connection.query("INSERT INTO customers VALUES ($1)", .text("7e3fb20b-4cdb"))
        for sql in ["INSERT INTO customers VALUES ($1)", "SELECT $1::text::int8"] {
            let error = #expect(throws: PostgreSQLError.self) { try connection.query(sql, .text("7e3fb20b-4cdb")) }
            #expect(error?.description.contains("7e3f") == false)
            #expect(error?.description.contains("SQLSTATE") == true)
            #expect(error?.isRetryable == false)
        }
    }

    @Test("A server that cannot be reached is named, and may be tried again")
    func unreachable() throws {
        let nowhere = try PostgreSQLLocation(url: "postgres://me@/offers?host=/tmp/there-is-no-such-directory")
        let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLConnection(to: nowhere) }
        #expect(error?.code == .unreachable)
        #expect(error?.isRetryable == true)
        #expect(error?.description.contains("/tmp/there-is-no-such-directory") == true)
    }

    @Test("A position that a list does not have is no answer", arguments: [Int64.min, -1, 0, 4, .max])
    func positions(ordinal: Int64) throws {
        func position(_ ordinal: Int64) throws -> Int {
            try connection.query("SELECT $1::int8", .integer(ordinal)).position(0, among: 3)
        }
        #expect(throws: StorageFailure.self) { try position(ordinal) }
        #expect(try (1...3).map(position) == [0, 1, 2])
    }
}
