import HTTPTypes
import NIOCore
import Testing

@testable import OfferAPI

@Suite("What is judged by the head of a request alone")
struct PublicGateTests {
    private let gate: PublicGate
    private let address: SocketAddress

    init() throws {
        let clients = ClientDirectory([Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"])])
        gate = PublicGate(limits: ConnectionLimits(), clients: { clients }, failures: FailedAuthentications())
        address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    }

    private func judge(_ path: String, token: String = "abc", method: HTTPRequest.Method = .post) -> HeadJudgement {
        var head = HTTPRequest(method: method, scheme: "http", authority: "a", path: path)
        head.headerFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
        return gate.judge(RequestHead(head)) { address }
    }

    @Test("Who guesses is told so later and later, and who has a token is let in at once")
    func guesses() {
        for _ in 0..<10 { #expect(judge("/v1/signatures", token: "guess") == .refuse(.unauthorized)) }
        for _ in 0..<3 {
            guard case .refuse(.unauthorized, let delay) = judge("/v1/signatures", token: "guess") else {
                Issue.record("A guess was let in.")
                return
            }
            #expect(delay > .zero && delay <= .seconds(1))
            guard case .admit = judge("/v1/signatures") else {
                Issue.record("A client was kept out by the guesses of others.")
                return
            }
        }
    }

    @Test("What may carry evidence may be long, and nothing else")
    func bodies() {
        let limits = ConnectionLimits()
        for path in ["signatures", "eligibility", "introductory-eligibility-signatures", "product-reports"] {
            #expect(judge("/v1/\(path)") == .admit(maximumBodyBytes: limits.maximumEvidenceBodyBytes))
        }
        #expect(judge("/v1/diagnoses") == .admit(maximumBodyBytes: limits.maximumBodyBytes))
        #expect(judge("/v1/products", method: .get) == .admit(maximumBodyBytes: limits.maximumBodyBytes))
    }

    @Test("A path is what it is", arguments: ["//v1/signatures", "/v1/signatures/", "/v1/Signatures", "/v1/../v1"])
    func paths(path: String) {
        #expect(judge(path) == .refuse(.notFound))
    }
}
