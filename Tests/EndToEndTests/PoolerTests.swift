import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("A pooler before PostgreSQL", .serialized, .timeLimit(.minutes(30)))
struct PoolerTests {
    private let installation: Installation
    private let server: PostgreSQLServer

    /// The server does not wait for the disk, unless a session asks for it.
    init() throws {
        installation = try Installation()
        server = try PostgreSQLServer()
        try server.query("ALTER ROLE postgres SET synchronous_commit = off")
    }

    private var request: String { Customers.request("alice") }

    private func records() throws -> Set<String> {
        Set(try server.query("SELECT nonce FROM ledger_records").split(separator: "\n").map(String.init))
    }

    @Test("check names a pooler in statement mode, and one that refuses what it is asked for, as faults")
    func statementMode() throws {
        try installation.keepLedger(in: server.url())
        try RunningService(installation).stop()
        let pooler = try PgBouncer(before: server, .statement)
        let statement = try installation.check("--ledger-url", pooler.url())
        statement.expect(78, "in statement mode")
        let stranger = pooler.url().replacing("//postgres@", with: "//stranger@")
        let unknown = try installation.check("--ledger-url", stranger)
        unknown.expect(78, "error: --ledger-url: ledger.url: ")
    }

    @Test("Session mode works: check finds no fault, and every answered signature outlives the server")
    func session() throws {
        let pooler = try PgBouncer(before: server, .session)
        try installation.keepLedger(in: pooler.url())
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        try installation.check().expect(0)
        let load = Load(on: service, connections: 8)
        while load.count < 200 { usleep(1000) }
        server.kill()
        try server.start()
        let received = Set(load.stop().filter { $0.status == 200 }.map(\.nonce))
        #expect(received.count >= 200)
        #expect(received.subtracting(try records()).isEmpty)
    }

    @Test(
        "A service that starts behind transaction mode signs nothing, and names the pooler, as check does beside it",
        arguments: [false, true]
    )
    func startedBehind(sessionsInTurn: Bool) throws {
        try installation.keepLedger(in: server.url())
        try RunningService(installation).stop()
        let before = try records()
        let pooler = try PgBouncer(before: server, .transaction, givesInTurn: sessionsInTurn)
        let service = try RunningService(installation, flags: ["--ledger-url", pooler.url()])
        try service.expectFault("pooler in transaction mode")
        let load = Load(on: service, connections: 4)
        for _ in 0..<20 { #expect(try installation.check("--ledger-url", pooler.url()).status == 78) }
        let samples = load.stop()
        #expect(!samples.isEmpty && samples.allSatisfy { $0.status == 503 }, "\(Set(samples.map(\.status)))")
        #expect(try records() == before)
        #expect(try service.readiness().status == 503)
    }

    @Test(
        "Behind a pooler that comes to be in transaction mode, every answered signature is durable, and it is named",
        arguments: [true, false]
    )
    func comesBehind(isAsked: Bool) throws {
        let pooler = try PgBouncer(before: server, .session)
        try installation.keepLedger(in: pooler.url())
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        let load = Load(on: service, connections: isAsked ? 8 : 0)
        while isAsked, load.count < 200 { usleep(1000) }
        try pooler.change(to: .transaction)
        let changed = ContinuousClock.now
        var named: Duration?
        while named == nil, changed.duration(to: .now) < .seconds(30) {
            let faults = try service.readiness().details["faults"] as? [String] ?? []
            let isNamed = faults.contains { $0.contains("pooler in transaction mode") }
            if isNamed { named = changed.duration(to: .now) }
            usleep(10_000)
        }
        server.kill()
        try server.start()
        let received = Set(load.stop().filter { $0.status == 200 }.map(\.nonce))
        // On a busy machine, some of the 200 answers may be 503.
        #expect(received.isEmpty != isAsked)
        let lost = received.subtracting(try records())
        #expect(lost.isEmpty, "\(lost.count) of \(received.count) are lost")
        #expect(named != nil)
    }
}
