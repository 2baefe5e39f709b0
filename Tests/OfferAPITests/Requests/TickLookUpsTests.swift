import Foundation
import OfferService
import Offers
import PostgreSQLServer
import Storage
import Testing

@testable import OfferAPI

@Suite("What is held of the customers of one tick, in PostgreSQL", .timeLimit(.minutes(30)))
struct TickLookUpsTests {
    private let server: PostgreSQLServer
    private let listener: TestListener

    init() throws {
        server = try PostgreSQLServer()
        try server.set("log_statement", to: "all")
        let key = try #require(DigestKey(bytes: Array(repeating: 7, count: 32)))
        let states = StoredStates(in: try PostgreSQLDatabase(url: server.url(), access: .readWrite), digestKey: key)
        let client = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"])
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let app = SigningApp(
            app: App(bundleId: "a", subscriptionGroups: [group]),
            signer: ConstantSigner(),
            issuerId: "i"
        )
        listener = TestListener(.test(client, apps: [app], memory: StateMemory(states: states, digester: key)))
    }

    /// How many questions about held state the server was asked so far.
    private var questions: Int { server.log.components(separatedBy: "unnest($1::bytea[], $2::text[])").count - 1 }

    private func calls(_ names: String...) -> [TestRequest] {
        names.flatMap { name in
            [
                TestRequest("/v1/eligibility", #"{"applicationUsername":"\#(name)"}"#),
                TestRequest(
                    "/v1/signatures",
                    #"{"applicationUsername":"\#(name)","offers":[{"productId":"p","offerId":"o"}]}"#
                ),
                TestRequest(
                    "/v1/introductory-eligibility-signatures",
                    #"{"applicationUsername":"\#(name)","products":["p"]}"#
                ),
            ]
        }
    }

    @Test("They are one question, whatever the calls, and the next tick's are another")
    func oneQuestion() async throws {
        for round in 1...2 {
            var connections: [TestConnection] = []
            for _ in 0..<12 { connections.append(try await listener.connect()) }
            for (connection, call) in zip(connections, calls("ann", "bob", "cleo", "dan")) {
                try await connection.send(call)
            }
            for connection in connections {
                let answer = try await connection.receive()
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.body.contains(#""reason":"no_evidence""#))
            }
            #expect(questions == round)
        }
    }

    @Test("Where the server is away, each request is told so")
    func away() async throws {
        server.stop()
        for call in calls("ann") { #expect(try await listener.ask(call).summary == "503 state_unavailable ") }
        try server.start()
    }
}
