import AppStore
import Foundation
import LedgerFixtures
import Logging
import NIOCore
import NIOEmbedded
import OfferService
import Offers

@testable import OfferAPI

/// The public listener in memory: requests go in as bytes and answers come out as bytes, by the path that users take.
final class TestListener: Sendable {
    /// The event loop, which runs when a test says so.
    let loop = NIOAsyncTestingEventLoop()
    private let rules: ListenerRules

    init(
        _ endpoints: PublicEndpoints,
        maximumWaitingOffers: Int = 160,
        metrics: RequestMetrics = RequestMetrics(),
        census: ConnectionCensus = ConnectionCensus(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
        rules = ListenerRules(
            limits: .patient(maximumWaitingOffers: maximumWaitingOffers),
            census: census,
            tls: nil,
            endpoints: { endpoints },
            metrics: metrics,
            logger: logger,
            faults: RepeatedFaults(logger: logger)
        )
    }

    /// The operators' listener with the calls of its page.
    init(forms endpoints: PublicEndpoints, page: [Call], hosts: [String]) {
        let monitoring = AdminAPI.calls(
            readiness: Readiness { ReadinessDetails() },
            metrics: { ("text/plain", []) },
            version: "1"
        )
        rules = ListenerRules(
            operators: monitoring + page,
            forms: { endpoints },
            hosts: { PageHosts(hosts) },
            limits: .patient()
        )
    }

    /// Another connection, on another event loop where one is given.
    func connect(isSpare: Bool = false, on other: NIOAsyncTestingEventLoop? = nil) async throws -> TestConnection {
        try await TestConnection(to: rules, on: other ?? loop, isSpare: isSpare)
    }

    /// Sends a request on a connection of its own.
    func askAtOnce(_ request: TestRequest) async throws -> TestAnswer? {
        let connection = try await connect()
        try await connection.send(request)
        return try await connection.received()
    }

    /// Sends a request on a connection of its own, and waits for the answer.
    func ask(_ request: TestRequest) async throws -> TestAnswer {
        let connection = try await connect()
        try await connection.send(request)
        return try await connection.receive()
    }
}

extension ConnectionLimits {
    /// Without any time that ends: other tests may keep all threads busy for minutes.
    static func patient(maximumWaitingOffers: Int = 160) -> ConnectionLimits {
        let ages = TimeAmount.hours(24)
        return ConnectionLimits(
            idleTimeout: ages,
            headerTimeout: ages,
            requestTimeout: ages,
            answerTimeout: ages,
            maximumWaitingOffers: maximumWaitingOffers
        )
    }
}

/// A connection in memory.
struct TestConnection {
    let channel: NIOAsyncTestingChannel

    init(to rules: ListenerRules, on loop: NIOAsyncTestingEventLoop, isSpare: Bool = false) async throws {
        channel = NIOAsyncTestingChannel(loop: loop)
        let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        channel.remoteAddress = address
        try await loop.executeInContext { [channel] in
            let setup = rules.setups.setup(on: loop)
            try ConnectionChannel.addRequests(to: channel.pipeline.syncOperations, setup, on: loop, isSpare: isSpare)
        }
        try await channel.connect(to: address).get()
    }

    func send(_ requests: TestRequest...) async throws {
        try await channel.writeInbound(ByteBuffer(string: requests.map(\.text).joined()))
    }

    func send(_ text: String) async throws { try await channel.writeInbound(ByteBuffer(string: text)) }

    /// What has come back so far; nothing where nothing has.
    func received() async throws -> TestAnswer? {
        await channel.testingEventLoop.run()
        return try await channel.readOutbound(as: ByteBuffer.self).map { TestAnswer(String(buffer: $0)) }
    }

    /// Waits for an answer: for minutes, as other tests may keep all threads busy, and not forever.
    func receive() async throws -> TestAnswer {
        for _ in 0..<200_000 {
            if let answer = try await received() { return answer }
            guard channel.isActive else {
                // It may have come, and the connection ended, since it was looked for.
                if let answer = try await received() { return answer }
                throw ChannelError.ioOnClosedChannel
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw ChannelError.connectTimeout(.seconds(200))
    }

    func close() async throws { _ = try? await channel.close() }
}

/// A request as it is sent.
struct TestRequest {
    var method = "POST"
    var target: String
    var token: String? = "abc"
    var fields: [String] = []
    var body: String
    var host = "a"

    init(_ target: String, _ body: String, method: String = "POST", token: String? = "abc", fields: [String] = []) {
        (self.target, self.body, self.method, self.token, self.fields) = (target, body, method, token, fields)
    }

    var text: String {
        let own = ["Host: \(host)", "Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
        let lines = own + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + fields
        return "\(method) \(target) HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }
}

/// An answer as it comes.
struct TestAnswer {
    let status: Int
    let head: String
    let body: String

    init(_ text: String) {
        let parts = text.components(separatedBy: "\r\n\r\n")
        head = parts[0]
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
        status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    func field(_ name: String) -> String? {
        let line = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }

    func member(_ name: String) -> String? {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?[name] as? String
    }

    /// Status, code and pointer of a problem; the status alone where all is fine.
    var summary: String { status < 300 ? "\(status)" : "\(status) \(member("code") ?? "") \(member("pointer") ?? "")" }
}

/// A key that makes the same signature of everything: r is 1 and s is 2.
struct ConstantSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        [0x30, 6, 0x02, 1, 1, 0x02, 1, 2]
    }
}

extension Client {
    /// A client of one app that may send any evidence.
    static let abc = Client(
        name: "abc",
        tokenSHA256: [sha256OfAbc],
        apps: ["com.example.reader"],
        evidence: Set(EvidenceKind.allCases)
    )
}

extension PublicEndpoints {
    /// Noon of a day of November 2026.
    static let noon = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// What answers about apps in a test.
    static func test(
        _ client: Client,
        beside others: [Client] = [],
        usages: ClientUsages = ClientUsages(),
        apps: [SigningApp],
        asking fetcher: (any EvidenceFetcher)? = nil,
        memory: StateMemory? = nil,
        ledger: any SignatureLedger = ScriptedLedger(),
        reports: any ProductReportStore = InMemoryProductReports(),
        redemptions: any RedemptionStore = NoRedemptions(),
        waiting permits: Permits = Permits(RedemptionFeed.mostWaiting)
    ) -> PublicEndpoints {
        PublicEndpoints(
            clients: ClientDirectory([client] + others, usages: usages),
            signOffers: SignOffers(
                apps: apps,
                evidenceReader: AppStoreEvidenceReader(),
                evidenceFetcher: fetcher,
                memory: memory,
                maximumEvidenceAgeSeconds: 0,
                ledger: ledger,
                now: { noon }
            ),
            productReports: ProductReports(apps: apps.map(\.app), store: reports, now: { noon }),
            diagnoseReports: DiagnoseReports(apps: [], memory: nil, recalling: nil, now: { noon }),
            redemptionFeed: RedemptionFeed(bundleIds: apps.map(\.app.bundleId), store: redemptions, permits: permits)
        )
    }
}

/// A store in which nobody has redeemed anything.
struct NoRedemptions: RedemptionStore {
    func redemptions(of bundleId: String, after position: Int64, limit: Int) -> [FeedEntry]? { [] }

    func position(of bundleId: String, before since: Timestamp) -> Int64 { 0 }
}
