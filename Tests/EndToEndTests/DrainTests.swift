import Foundation
import Synchronization
import Testing

@Suite("The service goes without losing a request")
struct DrainTests {
    private static let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
    private static let head =
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n"

    /// A connection whose request has begun: its head was read, as the answer 100 shows.
    private func lateConnection(to service: RunningService) throws -> Connection {
        let late = try Connection(to: service.server)
        try late.send(Self.head)
        #expect(try late.receive(hasBody: false).status == 100)
        return late
    }

    @Test("Under load from clients that look at /readyz, every request is answered, and it exits with 0")
    func load() throws {
        let service = try RunningService(flags: ["--server-drain-delay-seconds", "4"])
        let (server, outcome) = (service.server, Outcome())
        for _ in 0..<4 {
            Thread.detachNewThread {
                var connection: Connection?
                while outcome.isReady {
                    do {
                        let open = try connection ?? Connection(to: server)
                        let response = try open.request("POST", "/v1/signatures", body: Self.body)
                        connection = response.headers["connection"] == "close" ? nil : open
                        outcome.note("\(response.status)")
                    } catch {
                        outcome.note("\(error)")
                    }
                }
                outcome.end()
            }
        }
        while outcome.statuses.count < 40 { usleep(10_000) }
        service.signal(SIGTERM)
        while try Connection(to: service.admin).request("GET", "/readyz").status == 200 { usleep(10_000) }
        outcome.stop()
        while outcome.ended < 4 { usleep(10_000) }
        #expect(Set(outcome.statuses) == ["200"])
        #expect(service.wait() == 0)
    }

    @Test("From the signal on, each answer closes its connection, and new connections are still served")
    func keepAlive() throws {
        let service = try RunningService(flags: ["--server-drain-delay-seconds", "5"])
        let connection = try Connection(to: service.server)
        let before = try connection.request("POST", "/v1/signatures", body: Self.body)
        #expect(before.headers["connection"] == nil)
        service.signal(SIGTERM)
        while try Connection(to: service.admin).request("GET", "/readyz").status == 200 { usleep(10_000) }
        for open in [connection, try Connection(to: service.server)] {
            let response = try open.request("POST", "/v1/signatures", body: Self.body)
            #expect(response.status == 200)
            #expect(response.headers["connection"] == "close")
            #expect(open.isClosed())
        }
        #expect(service.wait() == 0)
    }

    /// A connection on which a part of a head was read.
    private func begunConnection(to service: RunningService) throws -> Connection {
        let open = try Connection(to: service.server)
        #expect(try open.request("POST", "/v1/signatures", body: Self.body).status == 200)
        try open.send("POST /v1/sig")
        // To a service that has not read it yet, the connection is idle.
        Thread.sleep(forTimeInterval: 1)
        return open
    }

    @Test("A caller in the middle of a head when the service stops may send the rest, and is answered")
    func partOfHead() throws {
        let service = try RunningService(
            flags: ["--server-drain-timeout-seconds", "600", "--server-limits-header-timeout-seconds", "300"]
        )
        let idle = try Connection(to: service.server)
        #expect(try idle.request("POST", "/v1/signatures", body: Self.body).status == 200)
        let open = try begunConnection(to: service)
        service.signal(SIGTERM)
        #expect(idle.isClosed())
        let rest = Self.head.replacing("POST /v1/sig", with: "").replacing("Expect: 100-continue\r\n", with: "")
        try open.send(rest + Self.body)
        let response = try open.receive()
        #expect(response.status == 200)
        #expect(response.headers["connection"] == "close")
        #expect(open.isClosed())
        #expect(service.wait() == 0)
    }

    @Test("The rest of a head that never comes is waited for as long as for any head")
    func restOfHead() throws {
        let service = try RunningService(
            flags: ["--server-drain-timeout-seconds", "600", "--server-limits-header-timeout-seconds", "3"]
        )
        let open = try begunConnection(to: service)
        service.signal(SIGTERM)
        #expect(try open.receive().status == 408)
        #expect(open.isClosed())
        #expect(service.wait() == 0)
    }

    @Test("When the time to finish is over, a part of a head gets an answer, and is not counted as cut off")
    func headTimeout() throws {
        let service = try RunningService(flags: ["--server-drain-timeout-seconds", "1"])
        let open = try begunConnection(to: service)
        service.signal(SIGTERM)
        let response = try open.receive()
        #expect(response.status == 503)
        #expect(response.json["code"] as? String == "shutting_down")
        #expect(open.isClosed())
        #expect(service.wait() == 0)
    }

    @Test("A request that was refused and answered is not waited for, with any part of its body")
    func refused() throws {
        let service = try RunningService(
            flags: ["--server-drain-timeout-seconds", "600", "--server-limits-request-timeout-seconds", "600"]
        )
        let open = try Connection(to: service.server)
        try open.send("POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12345")
        #expect(try open.receive().status == 404)
        service.signal(SIGTERM)
        #expect(open.isClosed())
        try? open.send("6789")
        #expect(service.wait() == 0)
    }

    @Test("Requests in flight are finished, idle connections are closed")
    func inFlight() throws {
        let service = try RunningService(flags: ["--server-drain-timeout-seconds", "20"])
        let idle = try Connection(to: service.server)
        #expect(try idle.request("POST", "/v1/signatures", body: Self.body).status == 200)
        let late = try lateConnection(to: service)
        service.signal(SIGTERM)
        #expect(idle.isClosed())
        try late.send(Self.body)
        #expect(try late.receive().status == 200)
        #expect(late.isClosed())
        #expect(service.wait() == 0)
    }

    @Test("A drain that takes too long ends with exit status 1, and says how many requests were cut off")
    func timeout() throws {
        let service = try RunningService(flags: ["--server-drain-timeout-seconds", "1"])
        let late = try lateConnection(to: service)
        service.signal(SIGTERM)
        let response = try late.receive()
        #expect(response.status == 503)
        #expect(response.json["code"] as? String == "shutting_down")
        #expect(service.wait() == 1)
        #expect(service.log.contains("server.drainTimeoutSeconds: 1 request was cut off"))
    }
}

/// What the clients of a test know and see, in threads of their own.
private final class Outcome: Sendable {
    private struct State {
        var isReady = true
        var statuses: [String] = []
        var ended = 0
    }

    private let state = Mutex(State())

    var isReady: Bool { state.withLock { $0.isReady } }
    var statuses: [String] { state.withLock { $0.statuses } }
    var ended: Int { state.withLock { $0.ended } }

    func note(_ status: String) { state.withLock { $0.statuses.append(status) } }
    func stop() { state.withLock { $0.isReady = false } }
    func end() { state.withLock { $0.ended += 1 } }
}
