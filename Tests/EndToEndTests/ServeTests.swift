import ChildProcess
import Foundation
import Testing

@Suite("The service over a socket")
struct ServeTests {
    private let service: RunningService

    init() throws { service = try RunningService() }

    private func offers(_ ids: String...) -> String {
        "[\(ids.map { #"{"productId":"pro.monthly","offerId":"\#($0)"}"# }.joined(separator: ","))]"
    }

    @Test("Signatures for the entitled, reasons for the others; openssl verifies each")
    func signatures() throws {
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        let response = try service.sign(
            #"""
            {"bundleId":"com.example.reader","appAccountToken":"\#(token)","formats":["discount"],
            "evidence":{"receiptResponse":\#(Customers.lapsed)},"offers":\#(offers("comeback50", "nope", "anyone"))}
            """#
        )
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.json["bundleId"] as? String == "com.example.reader")
        #expect(response.json["environment"] as? String == "Production")
        #expect(response.json["account"] as? [String: String] == ["appAccountToken": token.lowercased()])
        let decisions = response.decisions
        #expect(decisions.map { $0["offerId"] as? String } == ["comeback50", "nope", "anyone"])
        #expect(decisions.map { $0["verdict"] as? String } == ["eligible", "ineligible", "eligible"])
        #expect(decisions.map { $0["reason"] as? String } == ["lapsed", "offer_not_in_catalog", "lapsed"])
        for decision in [decisions[0], decisions[2]] {
            let discount = try #require(decision["discount"] as? [String: Any])
            #expect(discount["keyIdentifier"] as? String == "TESTKEY001")
            #expect(discount["identifier"] as? String == decision["offerId"] as? String)
            #expect(
                try service.installation.verifies(discount, product: "pro.monthly", account: token.lowercased())
            )
            #expect(try !service.installation.verifies(discount, product: "pro.yearly", account: token.lowercased()))
            let seconds = try #require(discount["timestamp"] as? Int) / 1000
            let expiry = Date(timeIntervalSince1970: Double(seconds + 86400)).formatted(.iso8601)
            #expect(decision["expiresAt"] as? String == expiry)
        }
        #expect(decisions[1]["discount"] == nil)
        #expect(decisions[1]["expiresAt"] == nil)
    }

    @Test("A username is signed verbatim, and no account as an empty field")
    func accounts() throws {
        let evidence = #""evidence":{"receiptResponse":\#(Customers.active)},"offers":\#(offers("anyone"))"#
        for (member, account) in [(#""applicationUsername":"Zoë-Ω","#, "Zoë-Ω"), ("", "")] {
            let decision = try #require(try service.sign("{\(member)\(evidence)}").decisions.first)
            let discount = try #require(decision["discount"] as? [String: Any])
            #expect(try service.installation.verifies(discount, product: "pro.monthly", account: account))
        }
    }

    @Test("A customer who never subscribed gets a reason and nothing else")
    func neverSubscribed() throws {
        let response = try service.sign(
            #"{"evidence":{"receiptResponse":\#(Customers.neverSubscribed)},"offers":\#(offers("anyone"))}"#
        )
        #expect(response.status == 200)
        #expect(response.decisions.first?["reason"] as? String == "never_subscribed")
        #expect(response.decisions.first?["discount"] == nil)
        #expect(response.json["account"] as? [String: String] == [:])
    }

    @Test("Without evidence, the state is unknown")
    func noEvidence() throws {
        let response = try service.sign(#"{"applicationUsername":"a","offers":\#(offers("anyone"))}"#)
        #expect(response.status == 200)
        #expect(response.decisions.first?["verdict"] as? String == "unknown")
        #expect(response.decisions.first?["reason"] as? String == "no_evidence")
        #expect(response.json["environment"] == nil)
    }

    @Test(
        "Faults are problem details with status, code and pointer",
        arguments: [
            (#"{"offers":1}"#, 400, "wrong_type", "/offers"), ("nonsense", 400, "malformed_json", nil),
            ("", 400, "malformed_json", nil),
            (#"{"evidence":{"receipt":"x"}}"#, 400, "invalid_value", "/evidence/receipt"),
            (
                #"{"bundleId":"x","applicationUsername":"a","offers":[{"productId":"p","offerId":"o"}]}"#, 403,
                "app_not_allowed", "/bundleId"
            ),
            (
                #"{"evidence":{"receiptResponse":{"status":21003}},"offers":[{"productId":"p","offerId":"o"}]}"#, 422,
                "receipt_status", "/evidence/receiptResponse/status"
            ),
        ] as [(String, Int, String, String?)]
    )
    func problems(body: String, status: Int, code: String, pointer: String?) throws {
        let response = try service.sign(body)
        #expect(response.status == status)
        #expect(response.headers["content-type"] == "application/problem+json")
        #expect(response.json["status"] as? Int == status)
        #expect(response.json["code"] as? String == code)
        #expect(response.json["pointer"] as? String == pointer)
        for member in ["type", "title", "detail"] {
            #expect((response.json[member] as? String)?.isEmpty == false)
        }
    }

    @Test("The wrong token, path, method, type and size have a status each")
    func heads() throws {
        func ask(_ method: String, _ path: String, _ headers: [String], _ body: String = "{}") throws -> Response {
            try Connection(to: service.server).request(method, path, headers: headers, body: body)
        }
        let token = "Authorization: Bearer \(Installation.token)"
        let json = "Content-Type: application/json"
        let stranger = try ask("POST", "/v1/signatures", ["Authorization: Bearer wrong", json])
        #expect(stranger.status == 401)
        #expect(stranger.headers["www-authenticate"] == "Bearer")
        #expect(try ask("POST", "/v1/signatures", [json]).status == 401)
        #expect(try ask("POST", "/v1/nothing", [token, json]).status == 404)
        for alias in ["/v1/signatures/", "//v1/signatures", "/v1//signatures", "/v1/./signatures", "/v1/%73ignatures"] {
            #expect(try ask("POST", alias, [token, json], "{}").json["code"] as? String == "not_found", "\(alias)")
            #expect(try ask("POST", alias, ["Authorization: Bearer wrong", json], "{}").status == 404, "\(alias)")
        }
        let get = try ask("GET", "/v1/signatures", [token])
        #expect(get.status == 405)
        #expect(get.headers["allow"] == "POST")
        #expect(try ask("POST", "/v1/signatures", [token]).status == 415)
        let large = String(repeating: " ", count: 1 << 20) + "{}"
        #expect(try ask("POST", "/v1/signatures", [token, json], large).json["code"] as? String == "body_too_large")
        #expect(try ask("GET", "/readyz", []).status == 404, "the admin's routes are not on the public listener")
    }

    @Test(
        "A body in a content coding is refused before it is read, and identity is none",
        arguments: ["/v1/signatures", "/v1/eligibility", "/v1/diagnoses", "/v1/product-reports"]
    )
    func contentCoding(path: String) throws {
        let connection = try Connection(to: service.server)
        let body = #"{"applicationUsername":"a","offers":\#(offers("anyone"))}"#
        func ask(_ codings: String...) throws -> Response {
            let head = ["Authorization: Bearer \(Installation.token)", "Content-Type: application/json"]
            return try connection.request(
                "POST",
                path,
                headers: head + codings.map { "Content-Encoding: \($0)" },
                body: body
            )
        }
        for codings in [["gzip"], ["GZIP"], ["identity, br"], ["identity", "x"]] {
            let refused = try codings.count == 1 ? ask(codings[0]) : ask(codings[0], codings[1])
            #expect(refused.status == 415)
            #expect(refused.json["code"] as? String == "unsupported_media_type")
            #expect((refused.json["detail"] as? String)?.contains("Content-Encoding") == true)
            #expect(refused.headers["accept-encoding"] == "identity")
        }
        let plain = try ask().status
        #expect(plain != 415)
        #expect(try ask("identity").status == plain)
        #expect(try ask("Identity, ").status == plain)
    }

    @Test("A parameter of the URL that a call does not have is refused, as an unknown member is")
    func parameters() throws {
        let connection = try Connection(to: service.server)
        let body = #"{"applicationUsername":"a","offers":\#(offers("anyone"))}"#
        for (method, path) in [
            ("POST", "/v1/signatures"), ("POST", "/v1/eligibility"),
            ("POST", "/v1/introductory-eligibility-signatures"),
            ("POST", "/v1/diagnoses"), ("POST", "/v1/product-reports"), ("GET", "/v1/products"),
            ("GET", "/v1/openapi.json"),
        ] {
            for query in ["colour=red", "bundleId=", "%zz"] {
                let refused = try connection.request(method, "\(path)?\(query)", body: method == "POST" ? body : "")
                #expect(refused.status == 400, "\(path)?\(query)")
                #expect(refused.json["code"] as? String == "invalid_parameter", "\(path)?\(query)")
            }
        }
        #expect(try connection.request("POST", "/v1/signatures?bundleId=nope", body: body).status == 400)
        #expect(try connection.request("POST", "http://a/v1/eligibility?bundleId=nope", body: body).status == 400)
        let stranger = ["Authorization: Bearer wrong", "Content-Type: application/json"]
        #expect(try connection.request("POST", "/v1/signatures?a=b", headers: stranger).status == 401)
        for path in ["/v1/signatures", "/v1/signatures?", "/v1/eligibility?", "http://a/v1/signatures?&"] {
            #expect(try connection.request("POST", path, body: body).status == 200, "\(path)")
        }
        #expect(try connection.request("GET", "/v1/openapi.json?").status == 200)
    }

    @Test("One connection serves request after request, also after a refusal")
    func keepAlive() throws {
        let connection = try Connection(to: service.server)
        let body = #"{"applicationUsername":"a","offers":\#(offers("anyone"))}"#
        #expect(try connection.request("POST", "/v1/signatures", body: body).status == 200)
        #expect(try connection.request("POST", "/v1/signatures", body: "{}").status == 400)
        #expect(try connection.request("GET", "/v1/nothing").status == 404)
        #expect(try connection.request("POST", "/v1/signatures", body: body).status == 200)
    }

    @Test("A body in chunks is limited too")
    func chunks() throws {
        let connection = try Connection(to: service.server)
        try connection.send(
            """
            POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n\
            Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n
            """
        )
        let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
        for _ in 0..<17 { try connection.send(chunk) }
        try connection.send("0\r\n\r\n")
        #expect(try connection.receive().status == 413)
    }

    @Test("Operators see that it lives, that it is ready, and which version it is")
    func admin() throws {
        let connection = try Connection(to: service.admin)
        #expect(try connection.request("GET", "/livez").status == 200)
        let ready = try connection.request("GET", "/readyz")
        #expect(ready.status == 200)
        #expect(ready.json["status"] as? String == "ready")
        let version = try connection.request("GET", "/version").json["version"] as? String
        #expect(service.firstLine.contains(try #require(version)))
        #expect(try connection.request("HEAD", "/readyz").status == 200)
        #expect(try connection.request("DELETE", "/livez").status == 405)
        #expect(try connection.request("GET", "/v1/signatures").status == 404)
    }

    @Test("A connection that breaks off leaves no trace in the log")
    func brokenConnections() throws {
        for text in ["POST /v1/sig", "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"] {
            try Connection(to: service.server).send(text)
        }
        try Connection(to: service.server).send(
            """
            POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n\
            Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{
            """
        )
        #expect(try Connection(to: service.admin).request("GET", "/livez").status == 200)
        service.signal(SIGTERM)
        _ = service.wait()
        // What the start says of the ledger, and of a kernel without secret memory, is no matter here.
        let ofStart = ["a new ledger was made", "secret memory"]
        let lines = service.log.split(separator: "\n").filter { line in !ofStart.contains { line.contains($0) } }
        #expect(lines.isEmpty, "\(lines)")
    }

    @Test("SIGTERM ends it cleanly, SIGHUP does not end it")
    func signals() throws {
        service.signal(SIGHUP)
        #expect(try Connection(to: service.admin).request("GET", "/livez").status == 200)
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
    }

    @Test("While it drains it says so, and takes requests until the delay is over")
    func drain() throws {
        let slow = try RunningService(flags: ["--server-drain-delay-seconds", "2"])
        slow.signal(SIGTERM)
        var status = 200
        let deadline = Date() + 2
        while status == 200, Date() < deadline {
            status = try Connection(to: slow.admin).request("GET", "/readyz").status
        }
        #expect(status == 503)
        let body = #"{"applicationUsername":"a","offers":\#(offers("anyone"))}"#
        #expect(try slow.sign(body).status == 200)
        #expect(slow.wait() == 0)
    }

    @Test("A port that is taken is said in one line, with exit status 1")
    func portTaken() throws {
        let outcome = try Executable.run([
            "serve", "--config", service.installation.configuration, "--server-port", "\(service.server.port)",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("127.0.0.1:\(service.server.port)"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }
}
