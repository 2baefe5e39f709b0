import ChildProcess
import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("The log of a running service")
struct LogTests {
    @Test("requests have no line unless they are asked for, by the level, which a reload changes")
    func level() throws {
        let service = try RunningService()
        func count() throws -> Int { try service.logLines().count { $0["message"] as? String == "request" } }
        _ = try service.post("{}")
        #expect(try count() == 0)
        let main = try String(contentsOfFile: service.installation.configuration, encoding: .utf8)
        try service.installation.directory.write("offer-signer.yaml", main + "\nlog: { level: info }\n")
        try service.reload()
        _ = try service.post("{}")
        #expect(try count() == 1)
        try service.installation.directory.write("offer-signer.yaml", main + "\nlog: { level: loud }\n")
        try service.reload()
        #expect(try service.logLines().contains { ($0["message"] as? String)?.contains("log.level: \"loud\"") == true })
    }

    @Test("a client's request that no call answers has its line, as every other refusal of a client")
    func noCall() throws {
        let service = try RunningService()
        let token = ["Authorization: Bearer \(Installation.token)"]
        let connection = try Connection(to: service.server)
        #expect(try connection.request("GET", "/v1/signature", headers: token).status == 404)
        #expect(try connection.request("PUT", "/v1/signatures", headers: token, body: "{}").status == 405)
        service.stop()
        let refused = try service.logLines().filter { $0["message"] as? String == "refused" }
        #expect(refused.compactMap { $0["code"] as? String } == ["not_found", "method_not_allowed"])
        for line in refused {
            #expect(line["client"] as? String == "backend")
            #expect(line["requestId"] != nil && line["peer"] != nil)
        }
    }

    @Test("with a chosen format every line on both outputs is of it, from the start to the end, or to a refused start")
    func chosen() throws {
        let service = try RunningService(flags: ["--log-format", "json"])
        service.stop()
        let announced = try #require(try service.output.jsonLines().first)
        #expect(announced["server"] as? String == "http://127.0.0.1:\(service.server.port)", "\(announced)")
        let messages = try service.log.jsonLines().compactMap { $0["message"] as? String }
        #expect(messages.suffix(3).map { $0.prefix(4) } == ["drai", "stop", "stop"], "\(messages)")

        let installation = try Installation()
        try installation.configure("log: { format: json }")
        try installation.edit("catalog.yaml", "bundleId:", "bundleld:")
        let refused = try Executable.run(["serve", "--config", installation.configuration])
        #expect(refused.status == 78)
        let faults = try refused.errors.jsonLines()
        #expect(!faults.isEmpty && faults.allSatisfy { $0["level"] as? String == "error" }, "\(refused.errors)")
    }

    @Test(
        "requests of strangers have one line of each kind, by their route and never their path, and then their number"
    )
    func strangers() throws {
        let service = try RunningService(flags: ["--log-level", "info"])
        func ask(_ method: String, _ path: String, _ headers: [String] = []) throws -> (Int, String?) {
            let answer = try Connection(to: service.server).request(method, path, headers: headers, body: "{}")
            return (answer.status, answer.headers["x-request-id"])
        }
        var first: [String: String?] = [:]
        for index in 0..<30 {
            let answers = [
                "unauthorized": try ask("POST", "/v1/signatures"),
                "not_found": try ask("GET", "/customer-alba-\(index)?token=x"),
                "malformed_http": try ask("POST", "/v1/signatures", ["Transfer-Encoding: gzip"]),
            ]
            #expect(answers.mapValues(\.0) == ["unauthorized": 401, "not_found": 404, "malformed_http": 400])
            if index == 0 { first = answers.mapValues(\.1) }
        }
        service.stop()
        #expect(!service.log.contains("alba"))
        for (code, id) in first {
            let lines = try service.logLines().filter { $0["code"] as? String == code }
            #expect(lines.compactMap { $0["message"] as? String } == ["request", "requests of nobody who is known"])
            #expect(lines.first?["requestId"] as? String == id)
            #expect(lines.first?["route"] as? String == (code == "unauthorized" ? "/v1/signatures" : "unmatched"))
            #expect(lines.last?["more"] as? Int == 29)
        }
    }

    @Test("a call to Apple has a span in the request's trace, in the log alone: nothing of the trace is sent to Apple")
    func trace() throws {
        let server = try FakeServer { _ in .init(200, #"{"status":21004}"#) }
        let installation = try Installation(asking: server, trusting: try TestAuthority())
        let service = try RunningService(installation, flags: ["--log-level", "info"])
        func ask(_ receipt: String, _ headers: [String]) throws {
            let offers = #"[{"productId":"pro.monthly","offerId":"anyone"}]"#
            let body = #"{"evidence":{"receipt":"\#(receipt)"},"offers":\#(offers)}"#
            #expect(try service.post(body, headers).status == 503)
        }
        try ask("AAAA", ["traceparent: \(traceParent)", "tracestate: a=1", "X-Request-ID: request-3"])
        try ask("AAAB", ["traceparent: 00-00000000000000000000000000000000-b7ad6b7169203331-01"])
        #expect(server.requests.count == 2)
        for request in server.requests { #expect(request.headers.keys.allSatisfy { !$0.hasPrefix("trace") }) }
        let calls = try service.logLines().filter { $0["message"] as? String == "a call to Apple" }
        #expect(calls.map { $0["traceId"] as? String } == ["0af7651916cd43dd8448eb211c80319c", nil])
        #expect(calls.map { $0["parentId"] as? String } == ["b7ad6b7169203331", nil])
        #expect(calls.map { $0["status"] as? String } == ["200", "200"])
        let spans = Set(calls.compactMap { $0["spanId"] as? String })
        #expect(spans.count == 2 && spans.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        let asked = try #require(try service.logLines().first { $0["message"] as? String == "request" })
        #expect(asked["peer"] as? String == "127.0.0.1")
        #expect(asked["traceId"] as? String == "0af7651916cd43dd8448eb211c80319c")
        #expect(asked["route"] as? String == "/v1/signatures" && asked["client"] as? String == "backend")
        #expect(asked["requestId"] as? String == "request-3" && asked["status"] as? Int == 503)
        #expect(try #require(asked["microseconds"] as? Int) > 0)
        let line = try #require(
            try service.logLines().first { ($0["message"] as? String)?.contains("shared secret") == true }
        )
        #expect(line["requestId"] as? String == "request-3")
        #expect(line["traceId"] as? String == "0af7651916cd43dd8448eb211c80319c")
        #expect(line["bundleId"] as? String == Installation.bundleId)
        let fault = try #require(try service.logLines().first { $0["message"] as? String == "cannot answer" })
        #expect(fault["code"] as? String == "app_store_credentials")
        #expect(fault["requestId"] as? String == "request-3")
    }
}

private let traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

extension RunningService {
    fileprivate func post(_ body: String, _ headers: [String] = []) throws -> Response {
        let own = ["Authorization: Bearer \(Installation.token)", "Content-Type: application/json"]
        return try Connection(to: server).request("POST", "/v1/signatures", headers: own + headers, body: body)
    }

    func logLines() throws -> [[String: Any]] {
        // Of others' lines the last may be on its way.
        try log[..<(log.lastIndex(of: "\n") ?? log.startIndex)].jsonLines()
    }
}
