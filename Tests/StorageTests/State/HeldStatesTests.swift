import Dispatch
import LedgerFixtures
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Held state on durable storage", .timeLimit(.minutes(30)))
struct HeldStatesTests {
    private let fixture: LedgerFixture
    private let database: any SQLDatabase

    init() throws {
        fixture = try LedgerFixture(.sqlite)
        database = try fixture.database()
    }

    private func open(
        _ bounds: Journal.Bounds = .init(),
        in other: (any SQLDatabase)? = nil,
        now: Timestamp = clock
    ) throws -> Journal { try fixture.journal(bounds, in: other ?? database, at: now) }

    /// A database whose writes fail as often as is said.
    private func failing(_ failures: Failures) -> TroubledDatabase {
        TroubledDatabase(database) { call throws(StorageFailure) in
            let fails = failures.left.withLock { failures in
                guard call.isWrite, failures > 0 else { return false }
                failures -= 1
                return true
            }
            if fails { throw StorageFailure(.unavailable, "the disk is full") }
        }
    }

    @Test("A notification is there after the process is gone, and so are evidence's facts after a close")
    func durable() async throws {
        let first = try open()
        #expect(try await first.save(notification("a"), seen(subscription("1"))))
        // Nothing is closed: a process that was killed closes nothing.
        let second = try open()
        #expect(try await second.held(question(nil, "1")).chapters == [subscription("1")])
        #expect(try await !second.save(notification("a"), seen()))
        second.learn(seen(subscription("2")))
        second.close()
        #expect(try await open().held(question(1)).chapters.count == 2)
        for length in [1, 2, 3] { #expect(try fixture.states().count(inSteps: length) == 2) }
    }

    @Test("A customer whom another process forgot is forgotten here, too, before long")
    func forgottenElsewhere() async throws {
        let states = try open()
        #expect(try await states.save(notification("a"), seen(subscription())))
        #expect(try await states.held(question(1)).chapters.count == 1)
        #expect(states.atHand(question(1)) != nil)
        #expect(try fixture.states().erase(customer(1)).subscriptions == 1)
        try await wait { try await states.held(question(1)).isEmpty }
    }

    @Test("A notification that cannot be kept is not confirmed; it is kept when it is sent again")
    func failure() async throws {
        let failures = Failures(.max)
        let states = try open(.init(queue: .init(rest: .milliseconds(20))), in: failing(failures))
        let failure = await #expect(throws: StorageFailure.self) {
            _ = try await states.save(notification("a"), seen(subscription()))
        }
        #expect(failure?.detail == "the disk is full")
        #expect(states.fault != nil)
        states.learn(seen(subscription("2")))
        failures.left.withLock { $0 = 0 }
        try await wait { states.fault == nil }
        #expect(try await states.held(question(nil, "1")).isEmpty)
        #expect(try await states.save(notification("a"), seen(subscription())))
        states.close()
        #expect(try await open().held(question(nil, "1", "2")).chapters.count == 2)
    }

    @Test("A fault in reading is reported while it lasts, and ends by itself")
    func unreadable() async throws {
        let isUnreadable = Atomic(true)
        let database = TroubledDatabase(database) { call throws(StorageFailure) in
            guard call == .answer, isUnreadable.load(ordering: .relaxed) else { return }
            throw StorageFailure(.unavailable, "permission denied for table held_subscriptions")
        }
        let states = try open(in: database)
        await #expect(throws: StorageFailure.self) { _ = try await states.held(question(1)) }
        try await wait { states.readFault != nil }
        #expect(states.readFault?.contains("permission denied") == true)
        isUnreadable.store(false, ordering: .relaxed)
        try await wait { states.readFault == nil }
        states.close()
    }

    @Test("A store that answers no question is reported while the question is open, and is well once it answers")
    func silent() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let database = TroubledDatabase(database) { call throws(StorageFailure) in
            guard call == .answer else { return }
            mayAnswer.wait()
            mayAnswer.signal()
        }
        let states = try open(in: database)
        async let first = states.held(question(1))
        try await wait { states.readFault != nil }
        #expect(states.readFault?.contains("a question is not answered") == true)
        mayAnswer.signal()
        #expect(try await first.isEmpty)
        try await wait { states.readFault == nil }
        states.close()
    }

    @Test("Old notifications whose deletion fails are deleted soon after, not an hour later")
    func oldNotifications() async throws {
        _ = try fixture.states().commit([StateWork(notification: notification("a"), observation: seen())])
        let failures = Failures(1)
        let states = try open(in: failing(failures), now: clock.adding(days: 200))
        try await wait { try fixture.rows("SELECT COUNT(*) FROM notifications") == ["0"] }
        #expect(failures.left.withLock { $0 } == 0)
        states.close()
    }

    @Test("Evidence beyond the room to wait is not learnt, takes no memory, and is reported")
    func bounded() async throws {
        let failures = Failures(.max)
        let states = try open(.init(observations: 10), in: failing(failures))
        #expect(states.statesWarning == nil)
        for id in 0..<100 { states.learn(seen(subscription("\(id)"))) }
        #expect(states.statesWarning?.contains("observations let go: 90, as 10 others waited") == true)
        failures.left.withLock { $0 = 0 }
        states.close()
        #expect(try await open().held(question(1)).chapters.count == 10)
    }

    private func refusing(_ fixture: LedgerFixture) throws -> Journal {
        fixture.refuse(in: "held_subscriptions")
        return try fixture.journal(at: clock)
    }

    @Test(
        "An observation that the database refuses is dropped and reported; the others are kept, and notifications are",
        arguments: LedgerHome.allCases
    )
    func dropped(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try refusing(fixture)
        #expect(states.statesWarning == nil)
        let refused = LedgerFixture.refusedTransaction
        for id in ["1", "2", refused, "3", "4", "5"] { states.learn(seen(subscription(id))) }
        #expect(try await states.save(notification("a"), seen(subscription("6"))))
        try await wait { states.statesWarning != nil }
        #expect(states.fault == nil && states.statesFault == nil)
        #expect(states.statesWarning?.contains("state: observations that could not be kept: 1;") == true)
        #expect(states.statesWarning?.contains(refused) == false)
        // A dropped observation is not answered from memory, either.
        let ids = try await states.held(question(1)).chapters.map(\.identity.originalTransactionId)
        #expect(Set(ids) == ["1", "2", "3", "4", "5", "6"])
        states.close()
        #expect(try fixture.rows("SELECT count(*) FROM held_subscriptions") == ["6"])
    }

    @Test(
        "A notification that the database refuses is not confirmed; those beside it are",
        arguments: LedgerHome.allCases
    )
    func refusedNotifications(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try refusing(fixture)
        let kept = await withTaskGroup(of: (Int, Bool).self) { tasks in
            for number in 0..<20 {
                let observation = seen(subscription(number == 7 ? LedgerFixture.refusedTransaction : "\(number)"))
                tasks.addTask { (number, (try? await states.save(notification("\(number)"), observation)) == true) }
            }
            return await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (number, isStored) in kept { #expect(isStored == (number != 7)) }
        #expect(states.fault == nil)
        states.close()
        #expect(try fixture.rows("SELECT count(*) FROM held_subscriptions") == ["19"])
        #expect(try fixture.rows("SELECT count(*) FROM notifications") == ["19"])
    }

    @Test("A notification of a forgotten customer, which is not sent again, is kept", arguments: LedgerHome.allCases)
    func notificationAfter(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.journal(.init(linger: .seconds(3600)), at: clock)
        #expect(try fixture.states().erase(customer(1)).subscriptions == 0)
        #expect(try await states.save(notification("a"), seen(subscription("1"))))
        #expect(try fixture.states().count() == 1)
    }
}

/// How often a database will fail to write.
private final class Failures: Sendable {
    let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }
}
