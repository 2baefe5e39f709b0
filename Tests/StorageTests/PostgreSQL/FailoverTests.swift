import Crypto
import Dispatch
import Foundation
import Glibc
import Offers
import PostgreSQLServer
import Testing

@testable import Storage

@Suite("A PostgreSQL server and its standbys", .timeLimit(.minutes(30)))
struct FailoverTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_000_000_000)

    private func location(_ hosts: String...) throws -> PostgreSQLLocation {
        try PostgreSQLLocation(url: "postgres://postgres@/postgres?host=\(hosts.joined(separator: ","))")
    }

    private func commit(_ count: Int, to store: LedgerStore) throws {
        for number in 0..<count {
            #expect(try store.commit([.of(account: "reader-\(number)", at: now)]) == [[.recorded]])
        }
    }

    /// Commits until the database takes it, or says that it never will.
    private func commitWhenThere(_ store: LedgerStore) -> StorageFailure? {
        let deadline = Date() + 60
        while true {
            do throws(StorageFailure) {
                _ = try store.commit([.of(account: "later", at: now)])
                return nil
            } catch {
                if error.code == .recordsLost || Date() > deadline { return error }
                usleep(50_000)
            }
        }
    }

    @Test("A commit that waits for a standby and is cancelled by an operator is not reported as done")
    func cancelled() throws {
        let server = try PostgreSQLServer()
        let connection = try PostgreSQLConnection(to: location(server.directory.path))
        try connection.query("CREATE TABLE a (n int8)")
        try server.set("synchronous_standby_names", to: "gone")
        let isOver = DispatchSemaphore(value: 0)
        let location = try location(server.directory.path)
        DispatchQueue.global().async {
            let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            let deadline = Date() + 60
            let administrator = try? PostgreSQLConnection(to: location)
            while (try? administrator?.query(cancel).integer(0, 0)) == 0, Date() < deadline { usleep(10_000) }
            isOver.signal()
        }
        #expect(throws: PostgreSQLError(.uncertain(SQLState("01000")))) {
            try PostgreSQLSession.transaction(on: connection, at: "here") { session throws(StorageFailure) in
                try session.send(SQLCall("INSERT INTO a VALUES (1)"))
            }
        }
        isOver.wait()
        // It is there, and may be lost in a failover: what it was for must not be given out.
        #expect(try connection.query("SELECT count(*) FROM a").integer(0, 0) == 1)
    }

    @Test(
        "A host that is silent, or that closes each connection, keeps nobody from the next",
        arguments: [false, true]
    )
    func silentHost(closes: Bool) throws {
        let server = try PostgreSQLServer()
        let other = try DeafHost(closes: closes)
        let hosts = PostgreSQLHosts(try location(other.directory, server.directory.path))
        let connection = try hosts.connect(limits: PostgreSQLLimits())
        #expect(connection.place == server.directory.path)
        #expect(try connection.query("SELECT 1::int8").integer(0, 0) == 1)
        server.stop()
        let error = #expect(throws: PostgreSQLError.self) { try hosts.connect(limits: PostgreSQLLimits()) }
        // An operator reads what each of them said.
        for host in [other.directory, server.directory.path] {
            #expect(error?.detail.contains(host) == true, "\(error?.detail ?? "")")
        }
    }

    @Test("Records that an asynchronous standby did not have when it was promoted are announced, and nothing is signed")
    func lostRecords() throws {
        let primary = try PostgreSQLServer()
        let location = try self.location(primary.directory.path)
        let ledger = try LedgerFixture(.postgresql, at: location)
        let (first, second) = (try ledger.store(), try ledger.store())
        try commit(5, to: first)
        try commit(1, to: second)
        let standby = try PostgreSQLServer(standbyOf: primary, name: "b")
        let state = try ReplicationState(PostgreSQLConnection(to: location))
        #expect(state.warning?.contains("asynchronously") == true)
        standby.stop()
        try commit(3, to: first)
        let anchor = try ledger.verify().anchor
        primary.stop()
        // The same address leads to the standby, as a balancer's does.
        try FileManager.default.removeItem(at: primary.directory.appending(path: "data"))
        try FileManager.default.moveItem(
            at: standby.directory.appending(path: "data"),
            to: primary.directory.appending(path: "data")
        )
        try primary.start()
        try primary.query("SELECT pg_promote(true, 60)")

        let failure = commitWhenThere(first)
        #expect(failure?.code == .recordsLost)
        #expect(failure?.detail.contains("lost 3 records") == true, "\(failure?.detail ?? "")")
        // Whoever lost nothing knows of it, too, and so does whoever starts anew.
        for store in [first, second, try ledger.store()] {
            #expect(throws: StorageFailure(.recordsLost, "")) { try store.probe() }
        }
        let found = try ledger.verifySound(anchor: anchor)
        #expect(found.losses.map(\.count) == [3])
        #expect(found.records == 6)

        #expect(try ledger.store().acknowledgeLosses().map(\.count) == [3])
        #expect(commitWhenThere(first) == nil)
        #expect(commitWhenThere(second) == nil)
        let later = try ledger.verifySound(anchor: anchor)
        #expect(later.losses.map(\.isAcknowledged) == [true])
        #expect(later.records == 8)

        try primary.query("UPDATE ledger_losses SET last_number = last_number + 1")
        let changed = try ledger.verify()
        #expect(changed.faults.contains { $0.detail.contains("not by the checkpoint key") }, "\(changed.faults)")
    }

    @Test("Of two servers that take writes the one that was promoted is used, and the old primary is not any more")
    func oldPrimary() throws {
        let primary = try PostgreSQLServer()
        let hosts: PostgreSQLHosts
        do {
            let standby = try PostgreSQLServer(standbyOf: primary, name: "b")
            hosts = PostgreSQLHosts(try location(primary.directory.path, standby.directory.path))
            let connection = try hosts.connect(limits: PostgreSQLLimits())
            #expect(connection.place == primary.directory.path)
            try standby.query("SELECT pg_promote(true, 60)")
            #expect(!hosts.isOutdated(connection))
            // Nobody has stopped the old one, and the URL has it first.
            #expect(try hosts.connect(limits: PostgreSQLLimits()).place == standby.directory.path)
            #expect(hosts.warning?.contains(primary.directory.path) == true)
            #expect(hosts.isOutdated(connection))
        }
        let error = #expect(throws: PostgreSQLError.self) { try hosts.connect(limits: PostgreSQLLimits()) }
        #expect(error?.code == .superseded)
        #expect(error?.detail.contains("timeline 2") == true, "\(error?.detail ?? "")")
    }
}

/// A Unix socket at PostgreSQL's usual name that answers nothing.
private final class DeafHost: Sendable {
    let directory: String
    private let listener: Int32

    init(closes: Bool) throws {
        directory = "/tmp/deaf-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        listener = ServerProxy.socket(at: "\(directory)/.s.PGSQL.5432", bind)
        guard listener >= 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        guard closes else { return }
        Thread.detachNewThread { [listener] in
            while case let client = accept(listener, nil, nil), client >= 0 { close(client) }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: directory)
    }
}
