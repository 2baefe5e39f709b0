import AppStore
import Dispatch
import OfferAPI
import OfferService
import Offers
import Storage
import SubscriptionKeys
import Synchronization

/// Many customers in turn, some of them at once, as on as many connections; each answer waits for the ledger.
final class Customers {
    typealias Service = SignOffers

    /// How many requests are under way at once.
    static let atOnce = 64
    private static let count = 4096

    private let service: Service
    private let bodies: [[UInt8]]
    private let ledger: Journal?
    private let recorded = Mutex<[(PreparedAnswer, [GrantOutcome])]>([])
    private let news = DispatchSemaphore(value: 0)
    private var next = 0
    private var waiting = 0

    init(service: Service, offers: Int, ledger: Journal?) {
        self.service = service
        self.ledger = ledger
        bodies = (0..<Self.count).map { number in
            SigningBenchmark.body(offers: offers, of: 220_000_000_000_001 + Int64(number))
        }
    }

    /// Prepares the answers of as many as are under way at once, and gives out those before them meanwhile.
    ///
    /// - Returns: How many signatures were given out; as many as there are at once.
    func serve() throws -> Int {
        if waiting == 0 { try prepare() }
        try prepare()
        var signatures = 0
        let goal = waiting - Self.atOnce
        while waiting > goal {
            news.wait()
            let answers = recorded.withLock { recorded in
                defer { recorded.removeFirst(min(recorded.count, Self.atOnce)) }
                return recorded.prefix(Self.atOnce)
            }
            for (prepared, outcomes) in answers {
                let answer = service.release(prepared, by: outcomes)
                if !answer.json.isEmpty { signatures += answer.decisions.count { $0.discount != nil } }
            }
            waiting -= answers.count
        }
        return signatures
    }

    /// Prepares answers, and queues their entries together, as an event loop does at the end of its turn.
    private func prepare() throws {
        var prepared: [PreparedAnswer] = []
        prepared.reserveCapacity(Self.atOnce)
        for _ in 0..<Self.atOnce {
            next = (next + 1) % Self.count
            let request = try CustomerRequest(json: bodies[next], of: .signatures, from: SigningBenchmark.client)
            guard case .now(let decided) = try service.decide(request),
                case .now(let answer) = try service.sign(decided)
            else { continue }
            prepared.append(answer)
        }
        waiting += prepared.count
        let entries = prepared.compactMap(\.entry)
        guard let ledger else { return keep(prepared, entries.map { $0.grants.map { _ in .recorded } }) }
        ledger.append(entries) { [self, prepared] _, result in keep(prepared, (try? result.get()) ?? []) }
    }

    private func keep(_ prepared: [PreparedAnswer], _ outcomes: [[GrantOutcome]]) {
        recorded.withLock { recorded in
            for (index, answer) in prepared.enumerated() {
                recorded.append((answer, outcomes.indices.contains(index) ? outcomes[index] : []))
            }
        }
        news.signal()
    }
}

// `@unchecked`: `next` and `waiting` are touched by the one thread that serves; everything else is constant or locked.
extension Customers: @unchecked Sendable {}
