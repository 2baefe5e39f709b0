import Foundation
import Testing

extension SharedServiceTests {
    @Suite("Requests that come before the answers to those before them")
    struct PipelineTests {
        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        private static func request(_ path: String, more: String = "") -> String {
            let body = #"{"applicationUsername":"a",\#(Customers.offers("anyone"))}"#
            return Connection.post(body, to: path, fields: more)
        }

        @Test(
            "A caller that half-closes after its requests gets every answer",
            arguments: ["/v1/signatures", "/v1/signatures?", "/v1/eligibility", "/v1/nothing"]
        )
        func halfClosed(path: String) throws {
            for count in [1, 2, 5] {
                let connection = try Connection(to: service.server)
                try connection.send(String(repeating: Self.request(path), count: count))
                connection.closeOutput()
                let expected = path == "/v1/nothing" ? 404 : 200
                for _ in 0..<count { #expect(try connection.receive().status == expected) }
                #expect(connection.isClosed())
            }
        }

        @Test("A request is answered, with anything of any length sent after it", arguments: [1, 10_000, 300_000])
        func followedByNonsense(length: Int) throws {
            for more in ["", "Connection: close\r\n"] {
                let connection = try Connection(to: service.server)
                try connection.send(Self.request("/v1/signatures", more: more))
                // The service may have closed before it has come.
                try? connection.send(String(repeating: "\u{1}", count: length))
                #expect(try connection.receive().status == 200)
            }
        }
    }
}
