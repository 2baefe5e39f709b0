import NIOHTTP1
import Testing

@testable import OfferAPI

@Suite("The head of a request")
struct RequestHeadTests {
    private func head(_ fields: (String, String)...) -> RequestHead {
        RequestHead(
            HTTPRequestHead(version: .http1_1, method: .POST, uri: "/v1/signatures", headers: HTTPHeaders(fields))
        )
    }

    @Test(
        "A bearer token is found in its one place",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer a b", "a b"), ("Bearer", nil),
            ("Bearer ", nil), ("Bearer   abc", "abc"), ("Bearer abc \t", "abc"), ("Bearer    ", nil),
            ("Basic abc", nil), ("abc", nil), ("Bearerabc", nil), ("", nil),
        ] as [(String, String?)]
    )
    func token(value: String, expected: String?) {
        for name in ["Authorization", "authorization", "AUTHORIZATION"] {
            #expect(head((name, value)).token == expected.map { TokenDigest(of: $0) })
        }
    }

    @Test("Two Authorization fields are none")
    func twoTokens() {
        #expect(head(("Authorization", "Bearer abc"), ("authorization", "Bearer abc")).token == nil)
        #expect(head().token == nil)
    }

    @Test("On a connection each request has its own token, not that of the one before it")
    func connection() {
        func head(_ authorization: String?, after previous: RequestHead?) -> RequestHead {
            var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            if let authorization { head.headers.add(name: "Authorization", value: authorization) }
            return RequestHead(head, after: previous)
        }
        let first = head("Bearer abc", after: nil)
        #expect(head("Bearer abc", after: first).token == TokenDigest(of: "abc"))
        #expect(head("Bearer abd", after: first).token == TokenDigest(of: "abd"))
        #expect(head(nil, after: first).token == nil)
        #expect(head("Basic abc", after: first).token == nil)
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
    func contentType(value: String, expected: Bool) {
        #expect(head(("Content-Type", value)).hasJSONBody == expected)
    }

    @Test(
        "Path and query of a target in each form that it may have",
        arguments: [
            ("/v1/products", "/v1/products", ""), ("/v1/products?a=b&c", "/v1/products", "a=b&c"), ("/?", "/", ""),
            ("/a?b?c", "/a", "b?c"), ("/a?b#c", "/a", "b"), ("//a/b", "//a/b", ""),
            ("/a?http://b/c", "/a", "http://b/c"),
            ("http://a", "/", ""), ("http://a:80", "/", ""), ("http://a?b", "/", "b"), ("http://a:80?b", "/", "b"),
            ("HTTP://u:p@a:80/b/c?d", "/b/c", "d"), ("http:///a", "/a", ""), ("http://[::1]:9/a", "/a", ""),
            ("http://a//b", "//b", ""), ("a:80", "a:80", ""), ("*", nil, ""),
        ] as [(String, String?, String)]
    )
    func target(target: String, path: String?, query: String) {
        let head = RequestHead(HTTPRequestHead(version: .http1_1, method: .GET, uri: target))
        #expect(head.path == path)
        #expect(head.query == query)
    }

    @Test("A body of no type, or of two, is not taken for JSON")
    func noContentType() {
        #expect(!head().hasJSONBody)
        #expect(!head(("Content-Type", "application/json"), ("Content-Type", "application/json")).hasJSONBody)
    }

    @Test(
        "A content coding is any that is not identity, in one field or several",
        arguments: [
            (["gzip"], true), (["identity"], false), (["Identity \t"], false), (["identity,GZIP"], true),
            (["identity, identity"], false), (["", " ,"], false), (["identity", "br"], true),
            (["br", "identity"], true),
        ] as [([String], Bool)]
    )
    func contentCoding(values: [String], expected: Bool) {
        for name in ["Content-Encoding", "content-encoding"] {
            var sent = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            for value in values { sent.headers.add(name: name, value: value) }
            #expect(RequestHead(sent).hasContentCoding == expected)
        }
    }

    @Test(
        "A request is known by the identifier that it brings, unless its token is in it, or nobody can say whose it is"
    )
    func identity() {
        let token = "abcdefgh-12345678"
        let safe = head(("X-Request-ID", "order-4711"), ("Authorization", "Bearer \(token)"))
        #expect(safe.identity.id.text == "order-4711")
        for id in ["a", "0AF7-65.19_16~cd+43/dd=84:48@eb", String(repeating: "x", count: 128)] {
            #expect(head(("X-Request-ID", id)).identity.id.text == id)
        }
        for id in ["two words", "quote\"d", "ünicode", String(repeating: "x", count: 129), String(token.prefix(10))] {
            let named = head(("X-Request-ID", id), ("Authorization", "Bearer \(token)"))
            #expect(named.identity.id.text.utf8.count == 32, "\(id)")
        }
        #expect(head(("X-Request-ID", "a"), ("X-Request-ID", "b")).identity.id.text.utf8.count == 32)
        let unsafe = head(("X-Request-ID", "id-\(token)"), ("Authorization", "Bearer \(token)"))
        #expect(unsafe.identity.id.text.utf8.count == 32)
        #expect(!unsafe.identity.id.text.contains(token))
        let two = head(("X-Request-ID", token), ("Authorization", "Bearer other"), ("Authorization", "Bearer \(token)"))
        #expect(two.identity.id.text != token)
    }

    @Test("An identifier that is made has 32 hexadecimal digits, and is another each time")
    func made() {
        let texts = (0..<100).map { _ in head().identity.id.text }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    }
}
