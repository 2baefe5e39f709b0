import HTTPTypes
import Testing

@testable import OfferAPI

@Suite("The head of a request")
struct HTTPRequestHeadTests {
    private func head(_ fields: (HTTPField.Name, String)...) -> HTTPRequest {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/v1/signatures")
        for (name, value) in fields { head.headerFields.append(HTTPField(name: name, value: value)) }
        return head
    }

    @Test(
        "A bearer token is found in its one place",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer a b", "a b"), ("Bearer", nil),
            ("Bearer ", nil), ("Basic abc", nil), ("abc", nil), ("Bearerabc", nil), ("", nil),
        ] as [(String, String?)]
    )
    func token(value: String, expected: String?) {
        #expect(head((.authorization, value)).bearerToken.map(String.init) == expected)
    }

    @Test("Two Authorization fields are none")
    func twoTokens() {
        #expect(head((.authorization, "Bearer abc"), (.authorization, "Bearer abc")).bearerToken == nil)
        #expect(head().bearerToken == nil)
    }

    @Test(
        "JSON is JSON, in UTF-8",
        arguments: [
            ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
            ("application/json;charset=\"UTF-8\"", true), ("application/json; charset=latin1", false),
            ("text/json", false), ("application/jsonp", false), ("application/x-www-form-urlencoded", false),
            ("", false),
        ]
    )
    func contentType(value: String, expected: Bool) {
        #expect(head((.contentType, value)).hasJSONBody == expected)
    }

    @Test("A body of no type is not taken for JSON")
    func noContentType() {
        #expect(!head().hasJSONBody)
    }
}
