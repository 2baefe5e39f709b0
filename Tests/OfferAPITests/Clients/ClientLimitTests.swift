import HTTPTypes
import Testing

@testable import OfferAPI

@Suite("How much a client may ask for")
struct ClientLimitTests {
    private func client(_ name: String = "abc", perSecond: Int? = 10, requests: Int? = nil) -> Client {
        Client(
            name: name,
            tokenSHA256: [sha256OfAbc],
            apps: ["a"],
            signaturesPerSecond: perSecond,
            concurrentRequests: requests
        )
    }

    private func fields(_ directory: ClientDirectory, _ client: Client, at now: Duration) -> [String] {
        directory.rateLimitFields(of: client, at: now).map { "\($0.name): \($0.value)" }
    }

    @Test("Every offer of a request counts, and a refusal says when to come again")
    func rate() {
        let client = client()
        let directory = ClientDirectory([client])
        for _ in 0..<10 {
            #expect(throws: Never.self) { try directory.acquire(signatures: 1, for: client, at: .zero) }
        }
        let problem = #expect(throws: Problem.self) { try directory.acquire(signatures: 1, for: client, at: .zero) }
        #expect(problem?.status == 429)
        #expect(problem?.retryAfterSeconds == 1)
        #expect(throws: Never.self) { try directory.acquire(signatures: 1, for: client, at: .seconds(1)) }
    }

    @Test("A request of more offers than a second's worth is answered, and the client waits for it afterwards")
    func large() {
        let client = client()
        let directory = ClientDirectory([client])
        #expect(throws: Never.self) { try directory.acquire(signatures: 100, for: client, at: .zero) }
        let problem = #expect(throws: Problem.self) { try directory.acquire(signatures: 5, for: client, at: .zero) }
        #expect(problem?.retryAfterSeconds == 10, "9.5 seconds, rounded up")
        #expect(throws: Never.self) { try directory.acquire(signatures: 5, for: client, at: .seconds(10)) }
    }

    @Test("The remaining requests are in the fields of the draft; a client without a limit has none")
    func headerFields() throws {
        let client = client()
        let directory = ClientDirectory([client])
        #expect(
            fields(directory, client, at: .zero)
                == ["RateLimit-Policy: \"signatures\";q=10;w=1", "RateLimit: \"signatures\";r=10;t=0"]
        )
        try directory.acquire(signatures: 3, for: client, at: .zero)
        #expect(fields(directory, client, at: .zero).last == "RateLimit: \"signatures\";r=7;t=1")
        try directory.acquire(signatures: 100, for: client, at: .seconds(1))
        #expect(fields(directory, client, at: .seconds(1)).last == "RateLimit: \"signatures\";r=0;t=10")
        let fast = self.client(perSecond: 2000)
        #expect(fields(ClientDirectory([fast]), fast, at: .zero).first == "RateLimit-Policy: \"signatures\";q=2000;w=1")
        let free = self.client(perSecond: nil)
        #expect(fields(ClientDirectory([free]), free, at: .zero).isEmpty)
    }

    @Test("One client's requests are none of another's, and a reload forgets nothing")
    func usages() throws {
        let usages = ClientUsages()
        let (first, second) = (client("first"), client("second"))
        try ClientDirectory([first, second], usages: usages).acquire(signatures: 100, for: first, at: .zero)
        let reloaded = ClientDirectory([second, first], usages: usages)
        #expect(throws: Problem.self) { try reloaded.acquire(signatures: 100, for: first, at: .zero) }
        #expect(throws: Never.self) { try reloaded.acquire(signatures: 100, for: second, at: .zero) }
    }

    @Test("So many requests at once, and again when one has ended")
    func concurrency() throws {
        let client = client(requests: 2)
        let directory = ClientDirectory([client])
        try directory.begin(client)
        try directory.begin(client)
        let problem = #expect(throws: Problem.self) { try directory.begin(client) }
        #expect(problem?.status == 429)
        #expect(problem?.retryAfterSeconds == 1)
        directory.end(client)
        #expect(throws: Never.self) { try directory.begin(client) }
    }
}
