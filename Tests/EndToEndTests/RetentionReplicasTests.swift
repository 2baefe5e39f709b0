import ChildProcess
import FakeServer
import Foundation
import PostgreSQLServer
import Synchronization
import Testing

@Suite("Customers who are about to cancel, with replicas", .serialized, .timeLimit(.minutes(20)))
struct RetentionReplicasTests {
    private let server: PostgreSQLServer
    private let apple: FakeServer

    init() throws {
        server = try PostgreSQLServer()
        apple = try FakeServer { _ in .init(404, #"{"errorCode":4040010,"errorMessage":"none"}"#) }
    }

    /// The responses to calls that come at once, in their order.
    private func atOnce(_ count: Int, _ ask: @escaping @Sendable (Int) throws -> Response) throws -> [Response] {
        let responses = Mutex<[Int: Response]>([:])
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let response = try? ask(index)
            responses.withLock { $0[index] = response }
        }
        let all = responses.withLock { $0 }
        try #require(all.count == count)
        return (0..<count).compactMap { all[$0] }
    }

    @Test("At two replicas at once, a call that is repeated gets the same bytes and one record, and a cap holds")
    func replicas() throws {
        let scene = try RetentionScene(
            asking: apple,
            offer: "maximumSignaturesPerCustomer: 3",
            settings: "retention: { timeoutMilliseconds: 5000 }\n"
        )
        try scene.installation.keepLedger(in: server.url())
        let services = [try RunningService(scene.installation), try RunningService(scene.installation)]
        try scene.notify(services[0], of: "1000")
        for round in 1...3 {
            let identifier = UUID().uuidString
            let calls = try (0..<16).map { _ in try scene.call("1000", identifier: identifier) }
            let responses = try atOnce(16) { try services[$0 % 2].retention(calls[$0]) }
            #expect(responses.allSatisfy { $0.status == 200 }, "\(responses.map(\.json))")
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(responses.first?.offerJWS != nil)
            #expect(try scene.installation.records().count == round)
        }
        try scene.notify(services[0], of: "2000", account: RetentionScene.account)
        let calls = try (0..<16).map { _ in try scene.call("2000") }
        let responses = try atOnce(16) { try services[$0 % 2].retention(calls[$0]) }
        #expect(responses.count { $0.offerJWS != nil } == 3)
        #expect(responses.count { $0.messageIdentifier == RetentionScene.plain } == 13, "\(responses.map(\.json))")
        #expect(try scene.installation.records().count == 6)
        for service in services { service.stop() }
        #expect(try scene.installation.ledger("verify").status == 0)
    }
}
