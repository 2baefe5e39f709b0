import Testing

@testable import OfferAPI

@Suite("The value of Host")
struct HostValueTests {
    @Test(
        "is a name or an address, and perhaps a port",
        arguments: [
            "", "a", "signer.example.com", "signer.example.com:8080", "a_b.internal", "127.0.0.1:80", "[::1]",
            "[::1]:8080",
            "[::ffff:127.0.0.1]:1", "a:", ":80", "%C3%A4.example", "xn--4ca.example", "a!$&'()*+;=~-._z",
        ]
    )
    func valid(text: String) { #expect(HostValue.isValid(text)) }

    @Test(
        "is nothing else",
        arguments: [
            "a b", "a b/c@", "a/c", "u@a", "a,b", "a?", "a#b", "a:b", "a:80:80", "a:80 ", "[::1", "::1", "[]", "[::1]a",
            "[g]",
            "[::1]:x", "%", "%4", "%zz", "ä.example", "a\u{0}", "a\\b", "\"a\"", "<a>", "http://a", "a%", "a:8%30",
        ]
    )
    func invalid(text: String) { #expect(!HostValue.isValid(text)) }
}
