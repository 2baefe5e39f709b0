import Testing

@testable import OfferAPI

@Suite("How many requests may wait")
struct QueueLimitTests {
    /// Requests that come at a rate and are worked off in ticks, as an event loop does: those that wait at its beginning, one
    /// after the other, each in the same time.
    private struct Simulation {
        var queue = QueueLimit()
        var waits: [Int] = []
        var done = 0
        var refused = 0
        private var entered: [(place: Int, at: Int)] = []
        private var next = 0
        private var now = 0

        /// Times in microseconds.
        mutating func run(for time: Int, requestEvery gap: Int, work: Int) {
            let end = now + time
            while now < end {
                while next <= now {
                    if let place = queue.enter(at: UInt64(next) * 1000) {
                        entered.append((place, next))
                    } else {
                        refused += 1
                    }
                    next += gap
                }
                let tick = entered
                entered = []
                for (place, at) in tick {
                    now += work
                    queue.leave(place, after: Int64(now - at) * 1000, at: UInt64(now) * 1000)
                    waits.append(now - at)
                    done += 1
                }
                now = max(now + 10, tick.isEmpty ? next : now)
            }
        }

        /// The wait that all but one in a hundred have had at most.
        var p99: Int { waits.sorted()[max(waits.count * 99 / 100 - 1, 0)] }
    }

    @Test("What can be worked off is let in, all of it")
    func unloaded() {
        var simulation = Simulation()
        simulation.run(for: 2_000_000, requestEvery: 200, work: 100)
        #expect(simulation.refused == 0)
        #expect(simulation.done >= 9_999)
    }

    @Test(
        "At ten times the load the wait stays near its target, and nearly as much is done as can be",
        arguments: [60, 1000]
    )
    func overload(work: Int) {
        var simulation = Simulation()
        // What comes first is taken for a burst.
        simulation.run(for: 1_000_000, requestEvery: work / 10, work: work)
        (simulation.waits, simulation.done, simulation.refused) = ([], 0, 0)
        simulation.run(for: 10_000_000, requestEvery: work / 10, work: work)
        #expect(simulation.p99 < 20_000)
        #expect(simulation.done > 9_000_000 / work)
        #expect(simulation.refused > 8 * simulation.done)
    }

    @Test("After the load there is room again for all, also for a burst")
    func recovery() {
        var simulation = Simulation()
        simulation.run(for: 2_000_000, requestEvery: 50, work: 1000)
        #expect(simulation.queue.limit < 64)
        simulation.run(for: 1_500_000, requestEvery: 10_000, work: 1000)
        simulation.refused = 0
        simulation.run(for: 2_000_000, requestEvery: 2000, work: 1000)
        #expect(simulation.refused == 0)
        #expect(simulation.queue.waiting <= 1)
        #expect(simulation.queue.limit >= 64)
    }

    @Test("Who asks on as many connections as a pool has waits for himself, however much each request costs")
    func pool() {
        var queue = QueueLimit()
        // Each asks again as soon as it has its answer; an answer takes 1 ms.
        var places = (0..<64).compactMap { _ in queue.enter(at: 0) }
        for tick in 1...10_000 {
            queue.leave(places.removeFirst(), after: 64_000_000, at: UInt64(tick) * 1_000_000)
            if let place = queue.enter(at: UInt64(tick) * 1_000_000) { places.append(place) }
        }
        #expect(places.count == 64)
    }

    @Test("Hundreds who each wait for their answer are never refused, where they are answered within milliseconds")
    func closedLoops() {
        var queue = QueueLimit()
        var (entered, wanting, refused, now) = ([(place: Int, at: UInt64)](), 256, 0, UInt64(0))
        for _ in 0..<20_000 {
            // Who was refused asks again, as all others do who have their answers.
            for _ in 0..<wanting {
                if let place = queue.enter(at: now) { entered.append((place, now)) } else { refused += 1 }
            }
            wanting = 256 - entered.count
            // Some are answered at a time, 25 µs each.
            let answered = min(entered.count, 16)
            now += UInt64(answered) * 25_000
            for (place, at) in entered.prefix(answered) { queue.leave(place, after: Int64(now - at), at: now) }
            entered.removeFirst(answered)
            wanting += answered
        }
        #expect(refused == 0)
        #expect(queue.waiting == entered.count)
    }

    /// Clients that each ask again as soon as they have an answer or were refused, and a service that works off one request
    /// after the other and then needs some time more for each, as a disk does.
    private struct Clients {
        var queue = QueueLimit()
        var waits: [Int] = []
        var refused = 0
        var wanting: Int
        private var entered: [(place: Int, at: Int, until: Int)] = []
        private var now = 0
        private var isBusyUntil = 0

        init(_ count: Int) { wanting = count }

        /// Times in microseconds.
        mutating func run(for time: Int, work: Int, latency: Int) {
            for _ in 0..<time / 1000 {
                now += 1000
                let answered = entered.prefix { $0.until <= now }
                for (place, at, until) in answered {
                    queue.leave(place, after: Int64(until - at) * 1000, at: UInt64(until) * 1000)
                    waits.append(until - at)
                }
                entered.removeFirst(answered.count)
                wanting += answered.count
                for _ in 0..<wanting {
                    if let place = queue.enter(at: UInt64(now) * 1000) {
                        isBusyUntil = max(isBusyUntil, now) + work
                        entered.append((place, now, isBusyUntil + latency))
                        wanting -= 1
                    } else {
                        refused += 1
                    }
                }
            }
        }
    }

    @Test("Where a disk is slow, nearly as much is done in overload as can be, and nobody waits much longer")
    func slowDisk() {
        var clients = Clients(256)
        clients.run(for: 5_000_000, work: 1000, latency: 20_000)
        (clients.waits, clients.refused) = ([], 0)
        clients.run(for: 20_000_000, work: 1000, latency: 20_000)
        #expect(clients.refused > 0)
        #expect(clients.waits.count > 15_000)
        #expect(clients.waits.sorted()[clients.waits.count * 99 / 100] < 40_000)
    }

    @Test("Room that was lost while all was slow comes back in overload, too")
    func recoveryInOverload() {
        var clients = Clients(256)
        clients.run(for: 5_000_000, work: 20_000, latency: 0)
        #expect(clients.queue.limit < 8)
        clients.run(for: 10_000_000, work: 100, latency: 1000)
        #expect(clients.queue.limit >= 16)
        #expect(clients.queue.limit < 64)
    }

    @Test("A stall that ends refuses nobody of those whom the service can answer", arguments: [100_000, 1_000_000])
    func stall(time: Int) {
        var clients = Clients(256)
        clients.run(for: 1_000_000, work: 100, latency: 5000)
        clients.run(for: 10_000, work: 100, latency: time)
        clients.run(for: 1_000_000, work: 100, latency: 5000)
        #expect(clients.refused == 0)
        #expect(clients.waits.count > 9000)
    }

    @Test("Many who come at once to a service that is slow at first are served when it is not any more")
    func coldStart() {
        var clients = Clients(600)
        clients.run(for: 30_000, work: 300, latency: 20_000)
        clients.run(for: 500_000, work: 100, latency: 5000)
        clients.refused = 0
        clients.run(for: 1_000_000, work: 100, latency: 5000)
        #expect(clients.refused == 0)
    }

    @Test("Who was refused because of a stall, and asks again at once, is let in some time after it")
    func stallWithManyClients() {
        var clients = Clients(300)
        clients.run(for: 200_000, work: 5000, latency: 0)
        clients.run(for: 8_000_000, work: 100, latency: 0)
        clients.refused = 0
        clients.run(for: 1_000_000, work: 100, latency: 0)
        // They are more than are through within the target.
        #expect(clients.refused > 0)
        clients.run(for: 30_000_000, work: 100, latency: 0)
        clients.refused = 0
        clients.run(for: 10_000_000, work: 100, latency: 0)
        #expect(clients.refused == 0)
    }

    @Test("A burst beyond the room is refused, and the next one is let in")
    func burst() {
        var queue = QueueLimit()
        for second in 0..<5 {
            let now = UInt64(second) * 1_000_000_000
            let places = (0..<300).compactMap { _ in queue.enter(at: now) }
            // At first nothing is known of the pace; then it is 2 ms.
            #expect(places.count == (second == 0 ? 256 : 64))
            for place in places {
                let wait = Int64(place) * 2_000_000
                queue.leave(place, after: wait, at: now + UInt64(wait))
            }
            #expect(queue.waiting == 0)
        }
    }

    @Test("The room never closes, however long the wait is")
    func smallest() {
        var queue = QueueLimit()
        var now: UInt64 = 0
        for _ in 1..<1000 {
            now += 10_000_000
            var places: [Int] = []
            while let place = queue.enter(at: now) { places.append(place) }
            #expect(places.count >= 2)
            for place in places { queue.leave(place, after: 10_000_000_000, at: now) }
        }
        #expect(queue.limit == 2)
    }

    @Test("Who has gone leaves the place to others")
    func abandon() {
        var queue = QueueLimit()
        let taken = (0..<1000).compactMap { _ in queue.enter(at: 0) }.count
        #expect(taken == queue.limit)
        let isFull = !queue.hasRoom(at: 0)
        #expect(isFull)
        queue.abandon()
        let hasRoom = queue.hasRoom(at: 0)
        #expect(hasRoom)
    }
}
