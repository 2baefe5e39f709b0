import Logging
import Offers
import Testing

@testable import AppStore

@Suite("Manners between the service and Apple")
struct MannerlyTransportTests {
    private func fault(
        _ transport: MannerlyTransport,
        _ request: OutgoingRequest,
        timeout: Duration = .seconds(5)
    ) async -> TransportFault? {
        do throws(TransportFault) {
            _ = try await transport.send(request, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test("A host that is down is not asked, and the others still are")
    func breaker() async {
        let scripted = ScriptedTransport(
            [.failure(.connection), .reply("", status: 503), .failure(.timeout), .reply("", status: 500)]
                + [.failure(.connection), .reply("{}")]
        )
        let transport = MannerlyTransport(scripted, requestsPerSecond: 1000)
        for _ in 0..<5 { _ = await fault(transport, OutgoingRequest(to: "a")) }
        #expect(scripted.requests.count == 5)
        #expect(await fault(transport, OutgoingRequest(to: "a")) == .heldBack(seconds: 5))
        #expect(scripted.requests.count == 5)
        #expect(await fault(transport, OutgoingRequest(to: "b")) == nil)
        #expect(scripted.requests.count == 6)
    }

    @Test(
        "verifyReceipt is down when it says so, though with HTTP 200",
        // Six questions: with three attempts each where that helps, unless nothing is sent any more after five answers.
        // On a busy machine the pauses may pass, after which one request each tries whether the host is back.
        arguments: [(21005, 5...9), (21009, 5...9), (21003, 6...6), (21002, 12...12), (0, 6...6)]
    )
    func verifyReceipt(status: Int, requests: ClosedRange<Int>) async throws {
        let scripted = ScriptedTransport(Array(repeating: .reply("{\"status\":\(status)}"), count: 30))
        let client = VerifyReceiptClient(
            transport: MannerlyTransport(scripted, requestsPerSecond: 1000),
            urls: .names,
            deadline: .seconds(600),
            now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: nil
        )
        let app = AppStoreApp(bundleId: "b", environments: [.production])
        for _ in 0..<6 { _ = try? await client.history(ofReceipt: "MII=", of: app) }
        #expect(requests.contains(scripted.requests.count), "\(scripted.requests.count)")
    }

    @Test("Refusals are answers of a host that is well")
    func refusals() async {
        let scripted = ScriptedTransport(Array(repeating: .reply("", status: 404), count: 10))
        let transport = MannerlyTransport(scripted, requestsPerSecond: 1000)
        for _ in 0..<10 { #expect(await fault(transport, OutgoingRequest(to: "a")) == nil) }
    }

    @Test("Each app has its pace, a tenth of it in the Sandbox; who cannot wait is told when to come back")
    func pace() async {
        let scripted = ScriptedTransport(Array(repeating: .reply("{}"), count: 10))
        let transport = MannerlyTransport(scripted, requestsPerSecond: 1)
        let short = Duration.milliseconds(200)
        let production = OutgoingRequest(to: "a")
        #expect(await fault(transport, production, timeout: short) == nil)
        #expect(await fault(transport, production, timeout: short) == .heldBack(seconds: 1))
        #expect(await fault(transport, OutgoingRequest(to: "a", bundleId: "c"), timeout: short) == nil)
        #expect(await fault(transport, production, timeout: .seconds(2)) == nil)
        #expect(scripted.requests.count == 3)
        let sandbox = MannerlyTransport(scripted, requestsPerSecond: 10)
        let request = OutgoingRequest(to: "s", environment: .sandbox)
        #expect(await fault(sandbox, request, timeout: short) == nil)
        #expect(await fault(sandbox, request, timeout: short) == .heldBack(seconds: 1))
    }
}
