import Dispatch
import Glibc
import Offers
import PostgreSQLServer
import Synchronization
import Testing

@testable import Storage

@Suite("The thread that works with PostgreSQL", .timeLimit(.minutes(30)))
struct PostgreSQLWorkerTests {
    private static let one = SQLCall("SELECT 1::int8")

    @Test("Work is done in order on a thread of its own, and its outcome handed back")
    func order() async throws {
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(try TestServer.makeDatabase()))
        let seen = Mutex<[Int]>([])
        for number in 0..<100 {
            worker.submit({ _ in number }, completion: { _ in seen.withLock { $0.append(number) } })
        }
        let threads = [try await worker.run { _ in pthread_self() }, try await worker.run { _ in pthread_self() }]
        #expect(threads[0] == threads[1])
        #expect(threads[0] != pthread_self())
        #expect(seen.withLock { $0 } == Array(0..<100))
        #expect(try await worker.run { connection throws(PostgreSQLError) in try connection.run(Self.one).count } == 1)
        #expect(worker.fault == nil)
        await worker.stop()
    }

    @Test("An error of the work is its outcome, and the next piece of work goes on")
    func failure() async throws {
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(try TestServer.makeDatabase()))
        await #expect(throws: PostgreSQLError(.refused(SQLState("22012")))) {
            try await worker.run { connection throws(PostgreSQLError) in
                _ = try connection.run(SQLCall("SELECT 1 / 0"))
            }
        }
        #expect(try await worker.run { _ in true })
        await worker.stop()
    }

    @Test("Work beyond the queue's room is refused at once, and work that waited for too long fails")
    func bound() async throws {
        var limits = PostgreSQLLimits()
        limits.queue = 3
        limits.waiting = .milliseconds(200)
        let nowhere = try PostgreSQLLocation(url: "postgres://me@/offers?host=/tmp/there-is-no-such-directory")
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(nowhere), limits: limits)
        let codes = await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    do throws(PostgreSQLError) {
                        try await worker.run { _ in }
                        return PostgreSQLError.Code?.none
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .busy } == 7)
        #expect(codes.count { $0 == .unreachable } == 3)
        #expect(worker.fault?.code == .unreachable)
        await worker.stop()
    }

    @Test("A caller in a hurry fails at once where there has been no connection for a second")
    func hurry() async throws {
        var limits = PostgreSQLLimits()
        limits.waiting = .seconds(3600)
        let nowhere = try PostgreSQLLocation(url: "postgres://me@/offers?host=/tmp/there-is-no-such-directory")
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(nowhere), limits: limits)
        try await Task.sleep(for: .seconds(2))
        let error = await #expect(throws: PostgreSQLError.self) { try await worker.run(isHurried: true) { _ in } }
        #expect(error?.code == .unreachable)
        await worker.stop()
    }

    @Test("Stopping finishes the waiting work, takes nothing new, and closes the connection")
    func stop() async throws {
        let location = try TestServer.makeDatabase()
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(location))
        let done = Atomic<Int>(0)
        for _ in 0..<50 {
            worker.submit(
                { connection throws(PostgreSQLError) in try connection.run(Self.one).count },
                completion: { if case .success(1) = $0 { done.add(1, ordering: .relaxed) } }
            )
        }
        await worker.stop()
        #expect(done.load(ordering: .relaxed) == 50)
        await #expect(throws: PostgreSQLError(.stopped)) { try await worker.run { _ in } }
        await worker.stop()
    }

    @Test(
        "A server that is stopped or killed is noticed, and found again without being asked",
        arguments: [false, true]
    )
    func restart(byKill: Bool) async throws {
        let server = try PostgreSQLServer()
        let reports = Mutex<[Bool]>([])
        let worker = PostgreSQLWorker(
            name: "worker",
            hosts: PostgreSQLHosts(try PostgreSQLLocation(url: server.url())),
            report: { fault in reports.withLock { $0.append(fault == nil) } }
        )
        try await worker.run { connection throws(PostgreSQLError) in
            try connection.run(SQLCall("CREATE TABLE kept (n int8)"))
            try connection.run(SQLCall("INSERT INTO kept VALUES (7)"))
        }
        if byKill { server.kill() } else { server.stop() }
        while worker.fault == nil { try await Task.sleep(for: .milliseconds(20)) }
        // Submitted while there is no server, it waits; a second is enough for this one to come back.
        async let waiting = worker.run(isRepeatable: true) { connection throws(PostgreSQLError) in
            try connection.run(SQLCall("SELECT n FROM kept")).cells
        }
        try server.start()
        let first = try? await waiting
        #expect(first == [.integer(7)] || first == nil)
        while worker.fault != nil { try await Task.sleep(for: .milliseconds(20)) }
        let kept = try await worker.run { connection throws(PostgreSQLError) in
            try connection.run(SQLCall("SELECT n FROM kept")).cells
        }
        #expect(kept == [.integer(7)])
        #expect(reports.withLock { $0.first } == true)
        #expect(reports.withLock { $0.contains(false) && $0.last == true })
        await worker.stop()
    }

    @Test("A connection that the server closes under a piece of work: it is repeated if it may be, and fails if not")
    func closedUnderWork() async throws {
        let location = try TestServer.makeDatabase()
        // Where all processors are busy, it may take its time until the connection is closed.
        var limits = PostgreSQLLimits()
        limits.statement = .seconds(60)
        limits.batch = .seconds(90)
        limits.waiting = .seconds(120)
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(location), limits: limits)
        func sleepOnce(isRepeatable: Bool) async throws -> Int {
            let attempts = Atomic<Int>(0)
            async let outcome = worker.run(isRepeatable: isRepeatable) { connection throws(PostgreSQLError) in
                attempts.add(1, ordering: .relaxed)
                let seconds = attempts.load(ordering: .relaxed) == 1 ? 30 : 0
                try connection.run(SQLCall("SELECT pg_sleep(\(seconds))"))
            }
            let administrator = try PostgreSQLConnection(to: location)
            let end = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(30)%' AND pid <> pg_backend_pid()
                """
            while try administrator.query(end).count == 0 { try await Task.sleep(for: .milliseconds(10)) }
            try await outcome
            return attempts.load(ordering: .relaxed)
        }
        #expect(try await sleepOnce(isRepeatable: true) == 2)
        await #expect(throws: PostgreSQLError.self) { try await sleepOnce(isRepeatable: false) }
        #expect(try await worker.run { _ in true })
        await worker.stop()
    }

    @Test("A connection that the server closed before a piece of work began: it is done on another, repeatable or not")
    func closedBeforeWork() async throws {
        let location = try TestServer.makeDatabase()
        let worker = PostgreSQLWorker(name: "worker", hosts: PostgreSQLHosts(location))
        let isQueued = DispatchSemaphore(value: 0)
        worker.submit({ _ in isQueued.wait() }, completion: { _ in })
        worker.submit(
            { connection throws(PostgreSQLError) in
                let found = try connection.query("SELECT pg_backend_pid()::int8").cells
                guard case .integer(let backend) = found.first else { throw PostgreSQLError(.unexpectedAnswer) }
                let administrator = try PostgreSQLConnection(to: location)
                try administrator.query("SELECT pg_terminate_backend($1::int8::int4)", .integer(backend))
                while kill(pid_t(backend), 0) == 0 { usleep(1000) }
            },
            completion: { _ in }
        )
        let outcome = await withCheckedContinuation { continuation in
            worker.submit(
                { connection throws(PostgreSQLError) in try connection.run(Self.one).cells },
                completion: { continuation.resume(returning: $0) }
            )
            isQueued.signal()
        }
        #expect(try outcome.get() == [.integer(1)])
        await worker.stop()
    }

    @Test("A new connection whose set-up fails takes no work, and the set-up is tried again")
    func prepare() async throws {
        let attempts = Atomic<Int>(0)
        let worker = PostgreSQLWorker(
            name: "worker",
            hosts: PostgreSQLHosts(try TestServer.makeDatabase()),
            prepare: { _ throws(PostgreSQLError) in
                guard attempts.add(1, ordering: .relaxed).newValue > 2 else {
                    throw PostgreSQLError(.unusable(.newerSchema), "newer")
                }
            }
        )
        #expect(try await worker.run { _ in true })
        #expect(attempts.load(ordering: .relaxed) == 3)
        await worker.stop()
    }

    @Test("Pauses between attempts double up to the longest, half of each by chance; a success makes them short again")
    func pauses() {
        var backoff = Backoff()
        let longest = (0..<8).map { _ in backoff.pause(chance: 1).milliseconds }
        #expect(longest == [100, 200, 400, 800, 1600, 2000, 2000, 2000])
        #expect(backoff.pause(chance: 0).milliseconds == 1000)
        for _ in 0..<100_000 { _ = backoff.pause(chance: 1) }
        #expect(backoff.pause(chance: 1) == Backoff.longest)
        backoff.reset()
        #expect(backoff.pause(chance: 0).milliseconds == 50)
    }
}
