import ChildProcess
import FakeServer
import Foundation
import SignedDataFixtures
import Testing

extension SharedServiceTests {
    @Suite("The log of requests")
    struct RequestLogTests {
        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        private func post(_ body: String, _ headers: [String] = []) throws -> Response {
            try service.post(body, headers)
        }

        @Test("every line is a JSON object, and at info each request has one, by its route and never its path")
        func access() throws {
            let body = Customers.request("amy", #""receiptResponse":\#(Customers.lapsed(Customers.transaction()))"#)
            #expect(try post(body, ["X-Request-ID: request-1", "traceparent: \(traceParent)"]).status == 200)
            let lines = try service.logLines()
            let request = try #require(lines.first { $0["requestId"] as? String == "request-1" })
            #expect(request["level"] as? String == "info")
            #expect(request["message"] as? String == "request")
            #expect(request["route"] as? String == "/v1/signatures")
            #expect(request["status"] as? Int == 200)
            #expect(request["client"] as? String == "backend")
            #expect(request["traceId"] as? String == "0af7651916cd43dd8448eb211c80319c")
            #expect(try #require(request["microseconds"] as? Int) > 0)
            #expect(request["code"] == nil)
        }

        @Test("a refusal has its code, whether its body or its evidence is at fault")
        func codes() throws {
            let offers = #"[{"productId":"p","offerId":"o"}]"#
            let receipt = #"{"evidence":{"receiptResponse":{"status":21003}},"offers":\#(offers)}"#
            let answers = try ["{}", receipt].map { try post($0) }
            let ids = answers.map { $0.headers["x-request-id"] }
            #expect(answers.map { $0.json["requestId"] as? String } == ids, "the document names the request, too")
            for message in ["refused", "request"] {
                let lines = try service.logLines().filter {
                    $0["message"] as? String == message && ids.contains($0["requestId"] as? String)
                }
                #expect(lines.compactMap { $0["status"] as? Int } == [400, 422])
                #expect(lines.compactMap { $0["code"] as? String } == ["missing_member", "receipt_status"])
                #expect(lines.allSatisfy { $0["peer"] as? String == "127.0.0.1" })
            }
        }
    }
}

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

    @Test("with a chosen format every line on both outputs is of it, from the start to the end, or to a refused start")
    func chosen() throws {
        func objects(_ text: String) throws -> [[String: Any]] {
            try text.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
            }
        }
        let service = try RunningService(flags: ["--log-format", "json"])
        service.stop()
        let announced = try #require(try objects(service.output).first)
        #expect(announced["server"] as? String == "http://127.0.0.1:\(service.server.port)", "\(announced)")
        let messages = try objects(service.log).compactMap { $0["message"] as? String }
        #expect(messages.suffix(3).map { $0.prefix(4) } == ["drai", "stop", "stop"], "\(messages)")

        let installation = try Installation()
        try installation.configure("log: { format: json }")
        try installation.edit("catalog.yaml", "bundleId:", "bundleld:")
        let refused = try Executable.run(["serve", "--config", installation.configuration])
        #expect(refused.status == 78)
        let faults = try objects(refused.errors)
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
        try log.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
    }
}
