import Foundation
import Synchronization
import Testing

/// A stand-in App Store with many customers who lapsed, and a service that asks it twice about each, fifty times a second.
private struct PacedAppStore: Sendable {
    static let customers = 4000

    let service: RunningService
    private let appStore: RunningAppStore
    private let first: Int
    private let step: Int
    private let number = Counter()

    init() throws {
        let installation = try Installation()
        let list = "[{ name: c, count: \(Self.customers), subscriptions: [{ product: pro.monthly, state: lapsed }] }]"
        let appStore = try RunningAppStore(for: installation, customers: list)
        self.appStore = appStore
        // Redemptions are counted in all of the history, which is a second call.
        try installation.ask(
            appStore,
            settings: "  requestsPerSecond: 50",
            products: "{ id: pro.monthly, offers: [{ id: anyone, maxRedemptions: 1 }] }"
        )
        var clients: [String] = []
        for name in ["flood", "other"] {
            let digest = try Installation.digest(of: name)
            clients.append(
                "{ name: client-\(name), tokenSHA256: \"\(digest)\", apps: [\(Installation.bundleId)], "
                    + "evidence: [transactionId] }"
            )
        }
        try installation.directory.write("clients.yaml", "clients: [\(clients.joined(separator: ", "))]\n")
        func id(_ number: Int) throws -> Int { try #require(Int(appStore.originalId(of: "c-\(number)"))) }
        first = try id(1)
        step = try id(2) - first
        service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
    }

    /// The transaction of a customer whom nobody asked about.
    func newCustomer() -> String { String(first + step * number.next()) }

    func ask(_ client: String, _ transaction: String, over connection: Connection, milliseconds: Int? = nil) throws
        -> Response
    {
        let timeout = milliseconds.map { ["Request-Timeout-Milliseconds: \($0)"] } ?? []
        return try connection.request(
            "POST",
            "/v1/signatures",
            headers: ["Authorization: Bearer \(client)", "Content-Type: application/json"] + timeout,
            body: #"{"evidence":{"transactionId":"\#(transaction)"},"#
                + #""offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
        )
    }
}

@Suite("Questions to the App Store above its pace", .serialized, .timeLimit(.minutes(5)))
struct AppStorePaceTests {
    @Test("A client that asks about random transactions, and waits for a millisecond each, takes Apple from nobody")
    func starved() throws {
        let scene = try PacedAppStore()
        let isOver = Mutex(false)
        let asked = Counter()
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            defer { group.leave() }
            guard let connection = try? Connection(to: scene.service.server) else { return }
            while !isOver.withLock({ $0 }) {
                let transaction = String(Int.random(in: 100_000_000_000_000...999_999_999_999_999))
                _ = try? scene.ask("flood", transaction, over: connection, milliseconds: 1)
                _ = asked.next()
            }
        }
        sleep(3)
        let connection = try Connection(to: scene.service.server)
        for _ in 0..<30 {
            let answer = try scene.ask("other", scene.newCustomer(), over: connection)
            #expect(answer.status == 200, "\(answer.json)")
            #expect(answer.decisions.first?["discount"] != nil)
            usleep(50_000)
        }
        isOver.withLock { $0 = true }
        group.wait()
        #expect(asked.next() > 500, "it was a flood")
        scene.service.stop()
    }
}
