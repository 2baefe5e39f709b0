import Foundation
import Testing

@Suite("The service goes without losing a request")
struct DrainTests {
    private static let body = #"{"applicationUsername":"a",\#(Customers.offers("anyone"))}"#
    private static let fields =
        "Host: a\r\nAuthorization: Bearer \(Installation.token)\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n"
    private static let head = "POST /v1/signatures HTTP/1.1\r\n\(fields)"

    /// A connection whose request has begun: its head was read, as the answer 100 shows.
    private func lateConnection(to service: RunningService) throws -> Connection {
        let late = try Connection(to: service.server)
        try late.send(Self.head + "Expect: 100-continue\r\n\r\n")
        #expect(try late.receive(hasBody: false).status == 100)
        return late
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

    @Test(
        "Under load from clients that look at /readyz, every request is answered, and each answer is a connection's last"
    )
    func load() throws {
        let service = try RunningService(flags: ["--server-drain-delay-seconds", "3"])
        let load = Load(on: service, connections: 4, body: Self.body)
        let connection = try Connection(to: service.server)
        let before = try connection.request("POST", "/v1/signatures", body: Self.body)
        #expect(before.headers["connection"] == nil)
        while load.count < 40 { usleep(10_000) }
        service.signal(SIGTERM)
        while try Connection(to: service.admin).request("GET", "/readyz").status == 200 { usleep(10_000) }
        for open in [connection, try Connection(to: service.server)] {
            let response = try open.request("POST", "/v1/signatures", body: Self.body)
            #expect(response.status == 200)
            #expect(response.headers["connection"] == "close")
            #expect(open.isClosed())
        }
        #expect(Set(load.stop().map(\.status)) == [200])
        #expect(service.wait() == 0)
    }

    @Test("Requests in flight are finished, also from a part of a head on; idle and refused connections are closed")
    func inFlight() throws {
        let service = try RunningService(
            flags: [
                "--server-drain-timeout-seconds", "600", "--server-limits-header-timeout-seconds", "300",
                "--server-limits-request-timeout-seconds", "600",
            ]
        )
        let idle = try Connection(to: service.server)
        #expect(try idle.request("POST", "/v1/signatures", body: Self.body).status == 200)
        let refused = try Connection(to: service.server)
        try refused.send("POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12345")
        #expect(try refused.receive().status == 404)
        let (late, open) = (try lateConnection(to: service), try begunConnection(to: service))
        service.signal(SIGTERM)
        #expect(idle.isClosed())
        #expect(refused.isClosed(), "the rest of its body is not waited for")
        try late.send(Self.body)
        try open.send("natures HTTP/1.1\r\n\(Self.fields)\r\n\(Self.body)")
        for connection in [late, open] {
            let response = try connection.receive()
            #expect(response.status == 200)
            #expect(response.headers["connection"] == "close")
            #expect(connection.isClosed())
        }
        #expect(service.wait() == 0)
    }

    @Test("A drain that takes too long ends with exit status 1, and says how many requests were cut off")
    func timeout() throws {
        let service = try RunningService(flags: ["--server-drain-timeout-seconds", "1"])
        // A part of a head gets an answer, and is no request that was cut off.
        let connections = [try lateConnection(to: service), try begunConnection(to: service)]
        service.signal(SIGTERM)
        for connection in connections {
            let response = try connection.receive()
            #expect(response.summary == "503 shutting_down")
            #expect(connection.isClosed())
        }
        #expect(service.wait() == 1)
        #expect(service.log.contains("server.drainTimeoutSeconds: 1 request was cut off"))
    }
}
