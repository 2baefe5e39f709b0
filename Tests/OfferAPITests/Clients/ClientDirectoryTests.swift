import Offers
import Synchronization
import Testing

@testable import OfferAPI

@Suite("Clients and their tokens")
struct ClientDirectoryTests {
    // FIPS 180-4's other example: the SHA-256 of a message of two blocks.
    private let other = Client(
        name: "other",
        tokenSHA256: [hexadecimal("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")],
        apps: ["a"]
    )

    @Test("A token finds its client and no other")
    func tokens() throws {
        let first = Client(name: "first", tokenSHA256: [sha256OfAbc], apps: ["a"])
        let directory = ClientDirectory([other, first])
        #expect(directory.client(presenting: "abc")?.name == "first")
        let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(directory.client(presenting: twoBlocks)?.name == "other")
        #expect(directory.client(presenting: "abd") == nil)
        #expect(directory.client(presenting: "ABC") == nil)
        #expect(directory.client(presenting: "") == nil)
        #expect(ClientDirectory([]).client(presenting: "abc") == nil)
    }

    @Test("A digest that differs in its last byte alone is refused")
    func lastByte() {
        var digest = sha256OfAbc
        digest[31] ^= 1
        let directory = ClientDirectory([Client(name: "near", tokenSHA256: [digest], apps: ["a"])])
        #expect(directory.client(presenting: "abc") == nil)
    }

    @Test("An app is named byte for byte: an equivalent Unicode form would be recorded as another app")
    func apps() throws {
        let client = Client(name: "c", tokenSHA256: [sha256OfAbc], apps: ["com.example.Key"])
        #expect(try client.app(named: "com.example.Key") == "com.example.Key")
        #expect(try client.app(named: nil) == "com.example.Key")
        let problem = #expect(throws: Problem.self) { try client.app(named: "com.example.\u{212A}ey") }
        #expect(problem?.status == 403)
    }

    @Test("A token is good until the moment at which it expires, and the other one of the client after it")
    func expiry() throws {
        let now = Mutex(Timestamp(millisecondsSince1970: 999))
        let other = [UInt8](repeating: 7, count: 32)
        let client = Client(
            name: "c",
            tokenSHA256: [other, sha256OfAbc],
            expires: [sha256OfAbc: Timestamp(millisecondsSince1970: 1000)],
            apps: ["a"]
        )
        let directory = ClientDirectory([client]) { now.withLock { $0 } }
        let digests = try [#require(TokenDigest(bytes: sha256OfAbc)), #require(TokenDigest(bytes: other))]
        for digest in digests { #expect(try directory.validToken(with: digest).client == client) }
        now.withLock { $0 = Timestamp(millisecondsSince1970: 1000) }
        let problem = #expect(throws: Problem.self) { try directory.validToken(with: digests[0]) }
        #expect(problem?.status == 401 && problem?.code == "unauthorized")
        #expect(problem?.detail.contains("1970-01-01T00:00:01Z") == true)
        #expect(try directory.validToken(with: digests[1]).client == client)
    }

    @Test("A digest of the wrong length is refused")
    func length() {
        let short = Client(name: "short", tokenSHA256: [Array(sha256OfAbc.prefix(31))], apps: ["a"])
        let none = Client(name: "none", tokenSHA256: [[]], apps: ["a"])
        #expect(ClientDirectory([short, none]).client(presenting: "abc") == nil)
    }
}

/// FIPS 180-4's example: SHA-256 of "abc".
let sha256OfAbc = hexadecimal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

func hexadecimal(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).map { offset in
        let start = text.index(text.startIndex, offsetBy: offset)
        return UInt8(text[start...].prefix(2), radix: 16) ?? 0
    }
}
