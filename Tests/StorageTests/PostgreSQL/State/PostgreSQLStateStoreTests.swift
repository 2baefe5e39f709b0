import Dispatch
import LedgerFixtures
import Offers
import PostgreSQLServer
import Testing

@testable import Storage

@Suite("Held state of several services in PostgreSQL", .timeLimit(.minutes(30)))
struct PostgreSQLStateStoreTests {
    private let database: PostgreSQLDatabase

    init() throws { database = try PostgreSQLDatabase(try TestServer.makeDatabase()) }

    @Test("Without a server, each of many callers at once gets the fault, and none waits for a thread")
    func asking() async throws {
        var limits = PostgreSQLLimits()
        limits.connecting = .milliseconds(1)
        let nowhere = try PostgreSQLLocation(url: "postgres://me@/offers?host=/tmp/there-is-no-such-directory")
        let database = try PostgreSQLDatabase(nowhere, limits: limits)
        let states = try LedgerFixture(.postgresql, at: database.location).journal(in: database, at: clock)
        let details = await withTaskGroup { group in
            for _ in 0..<400 {
                group.addTask {
                    do throws(StorageFailure) {
                        return try await states.held(question(1)).isEmpty ? "none" : "some"
                    } catch {
                        return error.detail
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(details.allSatisfy { $0.contains("cannot be reached") })
        await database.close()
    }

    @Test("Services that learn of one subscription at the same moment lose nothing of it")
    func race() async throws {
        let stores = (0..<4).map { _ in StateStore(database, digestKey: testDigestKey) }
        let others = try (0..<4).map { _ in
            StateStore(try PostgreSQLDatabase(database.location), digestKey: testDigestKey)
        }
        let all = stores + others
        DispatchQueue.concurrentPerform(iterations: all.count) { writer in
            for step in 0..<10 {
                let tie = AccountTie.presented(at: clock)
                let learnt = subscription("1", of: digest(UInt8(writer * 10 + step)), tie: tie)
                _ = try? all[writer].learn(seen(learnt))
            }
        }
        var expected = subscription("1", of: digest(0), tie: .presented(at: clock))
        for number in 1..<80 {
            expected = expected.joining(subscription("1", of: digest(UInt8(number)), tie: .presented(at: clock)))
        }
        let held = try await stores[0].held([question(nil, "1")])[0].get().chapters
        #expect(held.first?.accounts.count == expected.accounts.count)
    }

    /// Takes all locks of a server but a few, as other programs may.
    private func takeLocks(_ location: PostgreSQLLocation, leaving count: Int) throws -> PostgreSQLConnection {
        var limits = PostgreSQLLimits()
        limits.batch = .seconds(60)
        limits.statement = .seconds(60)
        let other = try PostgreSQLConnection(to: location, limits: limits)
        let error = #expect(throws: PostgreSQLError.self) {
            try other.query("SELECT count(pg_advisory_lock(n)) FROM generate_series(1, 1000000) AS n")
        }
        #expect(error?.code == .refused(SQLState("53200")))
        try other.query("SELECT count(pg_advisory_unlock(n)) FROM generate_series(1, \(count)) AS n")
        return other
    }

    @Test("Customers with more subscriptions than the server has locks are learnt of all the same, and the next one is")
    func manySubscriptions() async throws {
        let server = try PostgreSQLServer()
        let location = try PostgreSQLLocation(url: server.url())
        let database = try PostgreSQLDatabase(location)
        let states = try LedgerFixture(.postgresql, at: database.location).journal(in: database, at: clock)
        #expect(try await states.save(notification("a"), seen(subscription("first"))))
        let other = try takeLocks(location, leaving: 1000)
        for customer in 0..<4 {
            let many = (0..<2000).map { subscription("\(customer)-\($0)", of: digest(UInt8(customer))) }
            states.learn(Book(chapters: many))
        }
        #expect(try await states.save(notification("b"), seen(subscription("next"))))
        #expect(states.fault == nil)
        #expect(states.statesWarning == nil)
        // It writes first what has not been written yet.
        #expect(try await states.erase(customer(3)).subscriptions == 2000)
        #expect(try StateStore(database, digestKey: testDigestKey).count() == 6002)
        #expect(!other.isBroken)
        await database.close()
    }
}
