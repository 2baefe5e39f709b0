import HTTPTypes
import NIOHTTP1
import Testing

@testable import OfferAPI

@Suite("The head of a request")
struct RequestHeadTests {
    /// The same head, as Hummingbird has it and as NIO has it.
    private func heads(_ fields: (String, String)...) throws -> [RequestHead] {
        var routed = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/v1/signatures")
        var sent = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/v1/signatures")
        for (name, value) in fields {
            routed.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            sent.headers.add(name: name, value: value)
        }
        return [RequestHead(routed), try #require(RequestHead(sent))]
    }

    @Test(
        "A bearer token is found in its one place",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer a b", "a b"), ("Bearer", nil),
            ("Bearer ", nil), ("Bearer   abc", "abc"), ("Bearer abc \t", "abc"), ("Bearer    ", nil),
            ("Basic abc", nil), ("abc", nil), ("Bearerabc", nil), ("", nil),
        ] as [(String, String?)]
    )
    func token(value: String, expected: String?) throws {
        for name in ["Authorization", "authorization", "AUTHORIZATION"] {
            for head in try heads((name, value)) { #expect(head.token == expected.map { TokenDigest(of: $0) }) }
        }
    }

    @Test("Two Authorization fields are none")
    func twoTokens() throws {
        for head in try heads(("Authorization", "Bearer abc"), ("authorization", "Bearer abc")) {
            #expect(head.token == nil)
        }
        for head in try heads() { #expect(head.token == nil) }
    }

    @Test("On a connection each request has the token that it carries, whatever the one before it had")
    func connection() throws {
        func head(_ authorization: String?, after previous: RequestHead?) throws -> RequestHead {
            var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            if let authorization { head.headers.add(name: "Authorization", value: authorization) }
            return try #require(RequestHead(head, after: previous))
        }
        let first = try head("Bearer abc", after: nil)
        #expect(try head("Bearer abc", after: first).token == TokenDigest(of: "abc"))
        #expect(try head("Bearer abd", after: first).token == TokenDigest(of: "abd"))
        #expect(try head(nil, after: first).token == nil)
        #expect(try head("Basic abc", after: first).token == nil)
    }

    @Test(
        "JSON is JSON, in UTF-8",
        arguments: [
            ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
            ("application/json\t ", true), ("application/json;charset=\"UTF-8\"", true),
            ("application/json; charset=latin1", false),
            ("text/json", false), ("application/jsonp", false), ("application/x-www-form-urlencoded", false),
            ("", false),
        ]
    )
    func contentType(value: String, expected: Bool) throws {
        for head in try heads(("Content-Type", value)) { #expect(head.hasJSONBody == expected) }
    }

    @Test("A body of no type, or of two, is not taken for JSON")
    func noContentType() throws {
        for head in try heads() { #expect(!head.hasJSONBody) }
        let twice = try heads(("Content-Type", "application/json"), ("Content-Type", "application/json"))
        for head in twice { #expect(!head.hasJSONBody) }
    }

    @Test(
        "A content coding is any that is not identity, in one field or several",
        arguments: [
            (["gzip"], true), (["identity"], false), (["Identity \t"], false), (["identity,GZIP"], true),
            (["identity, identity"], false), (["", " ,"], false), (["identity", "br"], true),
            (["br", "identity"], true),
        ] as [([String], Bool)]
    )
    func contentCoding(values: [String], expected: Bool) throws {
        for name in ["Content-Encoding", "content-encoding"] {
            var routed = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
            var sent = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            for value in values {
                routed.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
                sent.headers.add(name: name, value: value)
            }
            for head in [RequestHead(routed), try #require(RequestHead(sent))] {
                #expect(head.hasContentCoding == expected)
            }
        }
    }

    @Test(
        "A request is known by the identifier that it brings, unless its token is in it, or nobody can say whose it is"
    )
    func identity() throws {
        let token = "abcdefgh-12345678"
        for head in try heads(("X-Request-ID", "order-4711"), ("Authorization", "Bearer \(token)")) {
            #expect(head.identity.id.text == "order-4711")
        }
        for head in try heads(("X-Request-ID", "id-\(token)"), ("Authorization", "Bearer \(token)")) {
            #expect(head.identity.id.text.utf8.count == 32)
            #expect(!head.identity.id.text.contains(token))
        }
        let two = try heads(
            ("X-Request-ID", token),
            ("Authorization", "Bearer other"),
            ("Authorization", "Bearer \(token)")
        )
        for head in two { #expect(head.identity.id.text != token) }
    }

    @Test("An identifier that is made has 32 hexadecimal digits, and is another each time")
    func made() throws {
        let texts = try (0..<100).flatMap { _ in try heads().map(\.identity.id.text) }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    }
}
