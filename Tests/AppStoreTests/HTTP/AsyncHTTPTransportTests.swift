import FakeServer
import Foundation
import Synchronization
import Testing

@testable import AppStore

@Suite("Sending requests over a socket")
struct AsyncHTTPTransportTests {
    private func send(
        timeout: Duration = .seconds(5),
        _ request: (FakeServer) -> OutgoingRequest = { OutgoingRequest(to: $0.url, path: "/path") },
        _ answer: @escaping @Sendable (FakeServer.Request) -> FakeServer.Reply
    ) async throws -> (result: Result<IncomingResponse, TransportFault>, requests: [FakeServer.Request]) {
        let server = try FakeServer(answer)
        let transport = AsyncHTTPTransport()
        let result: Result<IncomingResponse, TransportFault>
        do throws(TransportFault) {
            result = .success(try await transport.send(request(server), timeout: timeout))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return (result, server.requests)
    }

    @Test("A request goes out whole, and its answer comes back with its status")
    func exchange() async throws {
        let (result, requests) = try await send { server in
            OutgoingRequest(to: server.url, path: "/a", method: .post, bearerToken: "token", body: Array("[1]".utf8))
        } _: { _ in
            .init(429, headers: ["Retry-After": "7"], "[2]")
        }
        let response = try result.get()
        #expect(response.status == 429)
        #expect(response.retryAfter == "7")
        #expect(response.body == Array("[2]".utf8))
        #expect(requests.count == 1)
        #expect(requests[0].method == "POST")
        #expect(requests[0].path == "/a")
        #expect(requests[0].body == Data("[1]".utf8))
        #expect(requests[0].headers["authorization"] == "Bearer token")
        #expect(requests[0].headers["content-type"] == "application/json")
    }

    @Test("A redirect is an answer like any other, and is not followed")
    func redirect() async throws {
        let (result, requests) = try await send { _ in .init(302, headers: ["Location": "/other"]) }
        #expect(try result.get().status == 302)
        #expect(requests.map(\.path) == ["/path"])
    }

    @Test("Neither a slow head nor a slow body holds a request past its time")
    func timeouts() async throws {
        for reply in [
            FakeServer.Reply(delay: 60),
            FakeServer.Reply(200, String(repeating: "x", count: 6000), bytesPerSecond: 100),
        ] {
            // Each would be a whole answer after a minute.
            let (result, _) = try await send(timeout: .milliseconds(300)) { _ in reply }
            #expect(throws: TransportFault.timeout) { try result.get() }
        }
    }

    @Test("A hundred requests are on their way at once: a slow App Store does not keep them in a queue")
    func manyAtOnce() async throws {
        let arrived = Atomic<Int>(0)
        let server = try FakeServer { _ in
            arrived.add(1, ordering: .relaxed)
            // Nobody is answered before all have come.
            while arrived.load(ordering: .relaxed) < 100 { usleep(1000) }
            return .init(200)
        }
        let transport = AsyncHTTPTransport()
        let statuses = await withTaskGroup { group in
            for number in 0..<100 {
                let request = OutgoingRequest(to: server.url, path: "/\(number)")
                group.addTask { try? await transport.send(request, timeout: .seconds(60)).status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        arrived.store(100, ordering: .relaxed)
        await transport.shutdown()
        #expect(statuses == Array(repeating: 200, count: 100))
    }

    private func failure(_ result: Result<IncomingResponse, TransportFault>) -> CallFailure? {
        guard case .failure(.failed(let failure, _)) = result else { return nil }
        return failure
    }

    private func asking(_ host: (FakeServer) -> String) async throws -> Result<IncomingResponse, TransportFault> {
        try await send {
            OutgoingRequest(to: host($0))
        } _: { _ in
            .init()
        }.result
    }

    @Test("A name without an address, a server without TLS and a failed connection are different failures")
    func parts() async throws {
        // No name has a part of more than 63 characters, so nobody has to be asked for it.
        let long = String(repeating: "a", count: 64)
        #expect(failure(try await asking { _ in "https://\(long).invalid" }) == .name)
        #expect(failure(try await asking { $0.url.replacing("http://", with: "https://") }) == .tls)
        let noHTTP = try await send { _ in .init(headers: ["no field": "x"]) }.result
        #expect(failure(noHTTP) == .notHTTP)
    }

    @Test("A closed connection, a closed port and an answer without end are faults")
    func faults() async throws {
        let closed = try await send { _ in .init(closes: true) }.result
        #expect(failure(closed) == .connection)
        let refused = try await asking { _ in "http://127.0.0.1:1" }
        #expect(throws: TransportFault.failed(.connection, detail: "Connection refused")) { try refused.get() }
        let large = String(repeating: "x", count: AsyncHTTPTransport.maximumResponseBytes + 1)
        let tooLarge = try await send { _ in .init(200, large) }.result
        #expect(throws: TransportFault.tooLarge) { try tooLarge.get() }
    }
}
