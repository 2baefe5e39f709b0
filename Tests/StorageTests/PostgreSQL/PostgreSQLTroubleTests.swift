import ChildProcess
import Crypto
import Dispatch
import Foundation
import Offers
import PostgreSQLServer
import Synchronization
import Testing

@testable import Storage

@Suite("The ledger where PostgreSQL is in trouble", .timeLimit(.minutes(30)))
struct PostgreSQLTroubleTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_000_000_000)

    private func ledger(_ location: PostgreSQLLocation) throws -> Journal {
        Journal(try LedgerFixture(.postgresql, at: location).store(), now: { now })
    }

    @Test("While another transaction keeps one customer locked, only that customer waits, and nothing is unready")
    func oneCustomer() async throws {
        let location = try TestServer.makeDatabase()
        let ledger = try ledger(location)
        _ = try await ledger.append(.of(account: "free", limit: 100, at: now))
        let locked = LedgerEntry.of(account: "locked", limit: 100, at: now)
        let key = try #require(LedgerBatch([locked], digestKey: testDigestKey).locks.first)
        let other = try PostgreSQLConnection.keeping([key], location)
        let waiting = Task { try await ledger.append(locked) }
        // In one batch with it, after it and while it waits.
        for _ in 0..<20 {
            #expect(try await ledger.append(.of(account: "free", limit: 100, at: now)) == [.recorded])
            #expect(ledger.fault == nil)
        }
        let failure = await #expect(throws: StorageFailure.self) { try await waiting.value }
        #expect(failure?.detail.contains("pg_locks") == true)
        #expect(ledger.fault == nil)
        try other.query("ROLLBACK")
        #expect(try await ledger.append(locked) == [.recorded])
        ledger.close()
    }

    @Test("A caller in a hurry fails when the time is over, though the thread is busy with that or with something else")
    func busyThread() async throws {
        var limits = PostgreSQLLimits()
        limits.answering = .milliseconds(200)
        limits.waiting = .milliseconds(200)
        limits.statement = .seconds(60)
        limits.batch = .seconds(90)
        let location = try TestServer.makeDatabase()
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(location), limits: limits)
        try await worker.run { _ in }
        let isOver = Atomic(false)
        let body: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = {
            connection throws(PostgreSQLError) in
            try connection.query("SELECT pg_sleep(30)")
            isOver.store(true, ordering: .sequentiallyConsistent)
        }
        await #expect(throws: PostgreSQLError(.busy)) { try await worker.run(isHurried: true, body) }
        await #expect(throws: PostgreSQLError(.busy)) { try await worker.run(isHurried: true) { _ in } }
        await #expect(throws: PostgreSQLError(.busy)) { try await worker.run { _ in } }
        let wasOver = isOver.load(ordering: .sequentiallyConsistent)
        #expect(!wasOver)
        worker.end()
    }

    @Test("A ledger that could not be written at the start is at fault, though nobody has asked for a signature")
    func neverWritten() async throws {
        let role = try TestRole()
        try role.migrate()
        try role.revoke("INSERT ON ledger_records")
        let ledger = try ledger(role.location)
        ledger.prove(within: .seconds(60))
        #expect(ledger.fault?.contains("42501") == true, "\(ledger.fault ?? "")")
        try role.grant("INSERT ON ledger_records")
        try await wait { ledger.fault == nil }
        ledger.close()
    }

    @Test(
        "Where the server's disk is full, a probe that writes little does not say that all is well",
        .enabled(if: geteuid() == 0)
    )
    func diskFull() throws {
        let disk = "/tmp/full-\(UUID().uuidString.prefix(8))"
        func shell(_ command: String) -> Int32 { (try? ChildProcess("/bin/sh", ["-c", command]).wait()) ?? -1 }
        try #require(shell("mkdir \(disk) && mount -t tmpfs -o size=6m tmpfs \(disk) && chown postgres \(disk)") == 0)
        defer { _ = shell("umount --lazy \(disk); rmdir \(disk)") }
        let server = try PostgreSQLServer()
        try server.query("CREATE TABLESPACE small LOCATION '\(disk)'")
        try server.query("CREATE DATABASE full_one TABLESPACE pg_default")
        try server.query("ALTER DATABASE full_one SET default_tablespace = 'small'")
        let location = try PostgreSQLLocation(url: server.url(of: "full_one"))
        let store = try LedgerFixture(.postgresql, at: location).store()
        try store.probe()
        _ = shell("dd if=/dev/zero of=\(disk)/filler bs=8192 2>/dev/null")
        var failure: StorageFailure?
        for number in 0..<500 where failure == nil {
            do throws(StorageFailure) {
                _ = try store.commit((0..<50).map { .of(account: "\(number)-\($0)", at: now) })
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .diskFull)
        #expect(failure?.detail.contains("disk is full") == true)
        for _ in 0..<3 { #expect(throws: StorageFailure(.diskFull, "")) { try store.probe() } }
        _ = shell("rm \(disk)/filler")
        try store.probe()
        _ = try store.commit([.of(at: now)])
    }

    @Test("A database's faults for a ledger are found, each with its fix, and nothing is made")
    func inspection() throws {
        let role = try TestRole()
        let (administrator, name) = (role.administrator, role.name)
        let user = try PostgreSQLConnection(to: role.location)
        #expect(
            try PostgreSQLInspection(user).faults == [
                "the user \(name) may not make tables in schema public: have their owner run `offer-signer ledger migrate`, "
                    + "or GRANT CREATE ON SCHEMA public TO \(name)"
            ]
        )
        #expect(try PostgreSQLInspection(administrator).faults.isEmpty)
        try role.migrate()
        let fine = try PostgreSQLInspection(user)
        #expect(fine.faults.isEmpty && fine.warnings.isEmpty, "\(fine)")
        // Each right by which code could be put there is named.
        for (right, words) in [
            ("CREATE ON SCHEMA public", "may make tables in schema public"),
            ("TRIGGER ON offer_counts", "may put triggers on tables"), ("postgres", "owns the tables"),
        ] {
            try role.grant(right)
            let warnings = try PostgreSQLInspection(user).warnings
            #expect(warnings.count == 1 && warnings[0].contains(words), "\(warnings)")
            try role.revoke(right)
        }
        // The same for a role that has to be taken first, by SET ROLE.
        try administrator.query("ALTER ROLE \(name) NOINHERIT")
        try role.grant("postgres")
        #expect(try PostgreSQLInspection(user).warnings.first?.contains("owns the tables") == true)
        try role.revoke("postgres")
        try role.revoke("INSERT, UPDATE ON ledger_records")
        #expect(
            try PostgreSQLInspection(user).faults == [
                "the user \(name) has no INSERT, UPDATE on ledger_records: "
                    + "GRANT INSERT, UPDATE ON public.ledger_records TO \(name)"
            ]
        )
        try administrator.query("CREATE SCHEMA elsewhere")
        try administrator.query("SET search_path = elsewhere")
        let lost = try PostgreSQLInspection(administrator)
        #expect(lost.warnings.contains { $0.contains("there is a ledger in schema public") }, "\(lost.warnings)")
        try administrator.query("SET search_path = nowhere")
        #expect(try PostgreSQLInspection(administrator).faults.contains { $0.contains("names no schema") })
    }

    @Test("A passfile that others may open is named with its fix, and libpq does not get it")
    func passFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("passfile")
        try Data("*:*:*:*:secret\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(PassFile(["passfile": path])?.fault.contains("chmod 0600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(PassFile(["passfile": path]) == nil)
    }

    @Test(
        "Nothing is read or written in a session that is not as it was set up: that is a pooler's, and named so",
        arguments: [
            "SELECT set_config('offer_signer.session', 'of another', false)",
            "RESET offer_signer.session", "DISCARD ALL",
            "SET synchronous_commit = off", "SET synchronous_commit = local", "SET synchronous_commit = remote_write",
            "SET search_path = elsewhere",
        ]
    )
    func pooled(change: String) throws {
        let location = try TestServer.makeDatabase()
        let observer = try PostgreSQLConnection(to: location)
        try observer.query("CREATE TABLE kept (number int8)")
        func attempt(_ begin: String?) throws -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(to: location)
            try connection.beat()
            try connection.query(change)
            let pooled = #expect(throws: PostgreSQLError(.pooled, connection.place)) {
                try PostgreSQLSession.transaction(on: connection, at: "here", begin: begin) {
                    session throws(StorageFailure) in
                    try session.send(SQLCall("SELECT pg_advisory_lock(1)"))
                    try session.run("INSERT INTO public.kept VALUES (1)")
                }.get()
            }
            #expect(pooled?.description.contains("pooler") == true)
            #expect(connection.isBroken)
            return connection
        }
        let connections = [try attempt("BEGIN"), try attempt(nil)]
        #expect(try observer.query("SELECT count(*) FROM kept").integer(0, 0) == 0)
        // A lock would outlast the transaction, in a session that is somebody else's.
        #expect(try observer.query("SELECT pg_try_advisory_lock(1)").boolean(0, 0))
        withExtendedLifetime(connections) {}
    }
}
