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
        judge(path, authorization: "Bearer \(token)", method: method)
    }

    private func judge(_ path: String, authorization: String?, method: HTTPRequest.Method = .post) -> HeadJudgement {
        var head = HTTPRequest(method: method, scheme: "http", authority: "a", path: path)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.authorization] = authorization
        return gate.judge(RequestHead(head)) { address }
    }

    @Test("Who guesses is told so later and later, and who has a token is let in at once")
    func guesses() {
        for _ in 0..<10 { #expect(judge("/v1/signatures", token: "guess") == .refuse(.tokenUnknown)) }
        for _ in 0..<3 {
            guard case .refuse(.tokenUnknown, let delay) = judge("/v1/signatures", token: "guess") else {
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

    @Test(
        "No token and a wrong one are different sentences, each with what to do",
        arguments: [nil, "Basic YTpi", "Bearer"]
    )
    func sentences(authorization: String?) {
        let missing = judge("/v1/signatures", authorization: authorization)
        #expect(missing == .refuse(.tokenMissing))
        #expect(judge("/v1/signatures", token: "abd") == .refuse(.tokenUnknown))
        #expect(Problem.tokenMissing.detail.contains("Authorization: Bearer TOKEN"))
        #expect(Problem.tokenUnknown.detail.contains("`offer-signer clients token`"))
        for problem in [Problem.tokenMissing, .tokenUnknown] {
            #expect(problem.status == 401 && problem.code == "unauthorized")
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
