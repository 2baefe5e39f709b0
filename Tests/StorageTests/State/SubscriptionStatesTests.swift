import LedgerFixtures
import Offers
import Testing

@testable import Storage

/// A place where state is held: each keeps the same promises.
struct StatesPlace {
    enum Home: String, CaseIterable, Sendable {
        case memory
        case sqlite
        case postgresql
    }

    let states: any SubscriptionStates
    /// The journal that holds it, where it is in a database.
    let journal: Journal?
    /// The database, which lasts as long.
    private let fixture: LedgerFixture?

    init(_ home: Home) throws {
        guard let database = LedgerHome(rawValue: home.rawValue) else {
            fixture = nil
            journal = nil
            states = InMemorySubscriptionStates()
            return
        }
        let ledger = try LedgerFixture(database)
        fixture = ledger
        let opened = try ledger.journal(at: clock)
        journal = opened
        states = opened
    }

    func held(_ question: StateQuestion) async throws -> Book { try await states.held(question) }
}

@Suite("Wherever state is held")
struct SubscriptionStatesTests {
    @Test("An observation is found by account and by subscription, at once", arguments: StatesPlace.Home.allCases)
    func learnt(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        let all: [RedeemedOffer?] = [
            .introductory, .promotional("a"), .offerCode("b"), .winBack("c"), nil, .other(type: 6, identifier: ""),
        ]
        for (index, offer) in all.enumerated() {
            place.states.learn(seen(subscription(transactionId: "\(index)", offer: offer)))
        }
        var expected = subscription(transactionId: "0", offer: .introductory)
        for (index, offer) in all.enumerated().dropFirst() {
            expected = expected.joining(subscription(transactionId: "\(index)", offer: offer))
        }
        #expect(try await place.held(question(1)).chapters == [expected])
        #expect(try await place.held(question(nil, "1")).chapters == [expected])
        // What waits to be written may have to be asked for.
        if let atHand = place.states.atHand(question(1, "1")) { #expect(atHand.chapters == [expected]) }
        #expect(try await place.held(question(2)).isEmpty)
        #expect(try await place.held(question(1, bundleId: "com.example.other")).isEmpty)
        #expect(try await place.held(question(1)).chapters.first?.redemptions.map(\.offerId) == ["a"])
    }

    @Test("A notification counts once, and at once", arguments: StatesPlace.Home.allCases)
    func notifications(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        place.states.learn(seen(subscription()))
        #expect(try await place.held(question(1)).chapters.count == 1)
        let refund = seen(subscription(refunded: true, said: 60))
        #expect(try await place.states.save(notification("a"), refund))
        #expect(try await place.held(question(1)).chapters.first?["1"]?.revocationDate != nil)
        #expect(try await !place.states.save(notification("a"), seen(subscription("2"))))
        #expect(try await place.held(question(nil, "2")).isEmpty)
        #expect(try await place.states.save(notification("b"), seen(subscription(said: -60))))
        #expect(try await place.held(question(1)).chapters.first?["1"]?.revocationDate != nil)
    }

    @Test("The newest date at which all was known of an account is kept", arguments: StatesPlace.Home.allCases)
    func marks(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        for known in [allKnown(), allKnown(1, 20), allKnown(1, 10)] { place.states.learn(seen(mark: known)) }
        #expect(try await place.held(question(1)).marks == [allKnown(1, 20)])
    }

    @Test(
        "Of an account to which too many were tied the last are read, what is named besides, and no mark",
        arguments: StatesPlace.Home.allCases
    )
    func tooMany(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        let most = Book.mostOfAccount
        let mark = allKnown()
        func id(_ number: Int) -> String { "\(2_000_000 + number)" }
        func check(_ count: Int) async throws {
            let known = try await place.held(question(1, id(0)))
            let newest = (max(count - most, 0)..<count).map(id)
            #expect(Set(known.chapters.map(\.identity.originalTransactionId)) == Set(newest + [id(0)]))
            #expect(known.chapters.count == Set(newest + [id(0)]).count)
            #expect(known.marks == (count > most ? [] : [mark]))
        }
        for start in stride(from: 0, to: 3 * most, by: most / 2) {
            let end = start + most / 2
            let learnt = (start..<end).map { subscription(id($0), said: Int64($0)) }
            place.states.learn(Book(chapters: learnt, marks: [mark]))
            // While it waits to be written, and when it was.
            try await check(end)
            #expect(try await place.states.save(notification("\(start)"), seen()))
            try await check(end)
        }
        if let journal = place.journal {
            #expect(try await journal.erase(customer(1)).subscriptions == 3 * most)
        }
    }

    @Test(
        "Of an account that later ones pushed out of a subscription it is not said that all is known",
        arguments: StatesPlace.Home.allCases
    )
    func pushedOut(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        func present(for number: UInt8, at second: Int64) {
            let tie = AccountTie.presented(at: clock.adding(seconds: second))
            place.states.learn(seen(subscription(of: digest(number), tie: tie), mark: allKnown(number)))
        }
        /// Those of whom all is known, and those of whom it is not: while it waits to be written, and when it was.
        func check(known: [UInt8], unknown: [UInt8]) async throws {
            for written in [false, true] {
                if written { _ = try await place.states.save(notification("\(known) \(unknown)"), seen()) }
                for number in known { #expect(try await place.held(question(number)).marks.count == 1) }
                for number in unknown { #expect(try await place.held(question(number)).marks.isEmpty) }
            }
        }
        let last = UInt8(Chapter.mostPresenters) + 1
        let month: Int64 = 31 * 86_400
        for number in 1..<last { present(for: number, at: Int64(number)) }
        try await check(known: [1], unknown: [])
        // There is no room for another one before a month is over.
        present(for: last, at: 100)
        try await check(known: [1], unknown: [last])
        present(for: last, at: month)
        try await check(known: [last], unknown: [1])
        present(for: 1, at: month + 100)
        try await check(known: [1], unknown: [2])
    }

    @Test(
        "A subscription is found by each of its identifiers with all of them, before it is written and afterwards",
        arguments: StatesPlace.Home.allCases
    )
    func linked(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        func link(_ id: String, to others: Set<String>) -> Chapter { Chapter(identity(id), linked: others) }
        func ids(_ question: StateQuestion) async throws -> Set<String> {
            Set(try await place.held(question).chapters.map(\.identity.originalTransactionId))
        }
        place.states.learn(seen(subscription("1", of: nil)))
        _ = try await place.states.save(notification("first"), seen())
        place.states.learn(seen(subscription("2"), link("2", to: ["1"]), link("1", to: ["2"])))
        #expect(try await ids(question(nil, "1")) == ["1", "2"])
        #expect(try await ids(question(1)) == ["1", "2"])
        place.states.learn(seen(subscription("3", of: nil), link("3", to: ["2"]), link("2", to: ["3"])))
        for writing in [true, false] {
            for number in ["1", "2", "3"] { #expect(try await ids(question(nil, number)) == ["1", "2", "3"]) }
            #expect(try await ids(question(1)) == ["1", "2", "3"])
            if let atHand = place.states.atHand(question(nil, "1")) { #expect(atHand.chapters.count == 3) }
            if writing { _ = try await place.states.save(notification("second"), seen()) }
        }
        let together = await place.states.held([question(nil, "1"), question(1), question(nil, "9")])
        #expect(try together.map { try $0.get().chapters.count } == [3, 3, 0])
    }

    @Test(
        "Forgetting a customer deletes the purchases, and leaves those of others",
        arguments: [StatesPlace.Home.sqlite, .postgresql]
    )
    func forgotten(home: StatesPlace.Home) async throws {
        let place = try StatesPlace(home)
        let journal = try #require(place.journal)
        place.states.learn(seen(subscription("1", of: digest(1)), subscription("2", of: digest(2))))
        place.states.learn(seen(subscription("2", of: digest(1), tie: .presented(at: clock))))
        let mark = allKnown()
        place.states.learn(seen(mark: mark))
        // With this all of it is written, and what is read next stays in memory.
        #expect(try await journal.erase(customer(9)).subscriptions == 0)
        #expect(try await place.held(question(1)).marks == [mark])
        #expect(try await journal.erase(customer(1)).subscriptions == 2)
        #expect(try await place.held(question(1)).isEmpty)
        #expect(try await place.held(question(1)).marks.isEmpty)
        #expect(try await place.held(question(nil, "1")).isEmpty)
        #expect(try await place.held(question(2)).chapters.map(\.identity.originalTransactionId) == ["2"])
        #expect(try await place.held(question(2)).chapters.first?.accounts.keys.contains(digest(1)) == false)
        #expect(try await journal.erase(customer(1)).subscriptions == 0)
    }
}
