import Offers
import Testing

@Suite("The bytes that are signed")
struct DiscountPayloadTests {
    private let nonce: Nonce = {
        var generator = Words(0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00)
        return Nonce(using: &generator)
    }()

    private func payload(
        bundleId: String = "com.example.reader",
        key: String = "EXAMPLE123",
        product: String = "pro.monthly",
        offer: String = "comeback50",
        account: Account = .none
    ) throws -> String {
        let payload = try DiscountPayload(
            bundleId: bundleId,
            keyIdentifier: key,
            productId: product,
            offerId: offer,
            account: account,
            nonce: nonce,
            timestamp: Timestamp(millisecondsSince1970: 1_795_226_400_000)
        )
        return String(decoding: payload.bytes, as: UTF8.self)
    }

    private func fields(_ account: String) -> String {
        [
            "com.example.reader", "EXAMPLE123", "pro.monthly", "comeback50", account,
            "11223344-5566-4788-99aa-bbccddeeff00", "1795226400000",
        ].joined(separator: "\u{2063}")
    }

    @Test("Seven fields in Apple's order, joined by U+2063, the empty account between two separators")
    func withoutAccount() throws {
        #expect(try payload() == fields(""))
        #expect(try payload().unicodeScalars.filter { $0 == "\u{2063}" }.count == 6)
    }

    @Test("appAccountToken is signed in lowercase")
    func token() throws {
        let token = try #require(AppAccountToken("7E3FB20B-4CDB-47CC-936D-99D65F608138"))
        #expect(try payload(account: .appAccountToken(token)) == fields("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
    }

    @Test("applicationUsername is signed verbatim", arguments: ["Alice", "ALICE", "Zoë 🐝", " ", "e\u{301}"])
    func username(name: String) throws {
        let text = try payload(account: .applicationUsername(name))
        #expect(Array(text.utf8) == Array(fields(name).utf8))
    }

    @Test("A field that holds the separator is refused, whichever it is")
    func separator() {
        func failure(_ key: String = "EXAMPLE123", holds field: String) -> SigningFailure {
            SigningFailure(keyIdentifier: key, detail: "the \(field) holds U+2063")
        }
        #expect(throws: failure(holds: "bundleId")) { try payload(bundleId: "a\u{2063}b") }
        #expect(throws: failure("\u{2063}", holds: "keyIdentifier")) { try payload(key: "\u{2063}") }
        #expect(throws: failure(holds: "productId")) { try payload(product: "pro\u{2063}") }
        #expect(throws: failure(holds: "offerId")) { try payload(offer: "\u{2063}x") }
        #expect(throws: failure(holds: "account")) { try payload(account: .applicationUsername("a\u{2063}b")) }
    }
}

/// A generator of known words.
struct Words: RandomNumberGenerator {
    private var words: [UInt64]

    init(_ words: UInt64...) { self.words = words }

    mutating func next() -> UInt64 { words.isEmpty ? 0 : words.removeFirst() }
}
