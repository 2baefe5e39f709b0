import NIOCore
import Testing

@testable import LoadGenerator

@Suite("The requests of a deck")
struct RequestDeckTests {
    private func hand(_ kind: EvidenceMix.Kind, weight: Int, requests: Int) -> RequestDeck.Hand {
        let list = (0..<requests).map { number in
            LoadRequest(
                bytes: ByteBuffer(string: "\(kind.rawValue) \(number)"),
                expected: ExpectedAnswer(bundleId: "", account: "\(number)", offers: [])
            )
        }
        return RequestDeck.Hand(name: kind.rawValue, weight: weight, requests: .listed(list), description: "")
    }

    @Test("Kinds are asked by their weights, in every stretch, and every customer of a list gets a turn")
    func weights() {
        let deck = RequestDeck(
            [
                hand(.receiptResponse, weight: 80, requests: 100), hand(.receipt, weight: 15, requests: 3),
                hand(.held, weight: 5, requests: 7),
            ],
            offersPerRequest: 1
        )
        for (kind, weight) in [80, 15, 5].enumerated() {
            #expect(deck.order.count { $0 == kind } == deck.order.count * weight / 100)
        }
        #expect(Set(deck.order.prefix(100)) == [0, 1, 2])
        let places = (0..<9).map { RequestDeck.Place(kind: 1, number: $0) }
        #expect(Set(places.map { String(buffer: deck.bytes($0)) }) == ["receipt 0", "receipt 1", "receipt 2"])
        #expect(places.map { deck.expected($0).account } == ["0", "1", "2", "0", "1", "2", "0", "1", "2"])
    }

    @Test("A kind of the smallest weight is asked all the same")
    func smallestWeight() {
        let hands = [hand(.receiptResponse, weight: 1000, requests: 10), hand(.held, weight: 1, requests: 10)]
        #expect(RequestDeck(hands, offersPerRequest: 1).order.contains(1))
    }

    @Test(
        "How many customers there are is a number, new or shared",
        arguments: [
            ("100", .number(100)), ("1000000", .number(1_000_000)), ("new", .new), ("shared", .shared), ("0", nil),
            ("1000001", nil), ("-1", nil), ("all", nil), ("", nil),
        ] as [(String, CustomerCount?)]
    )
    func customers(text: String, expected: CustomerCount?) {
        #expect(CustomerCount(text) == expected)
    }

    @Test(
        "A mix is read as it is written",
        arguments: [
            ("receiptResponse", ["receiptResponse 1"]),
            (
                "receiptResponse=80,signedTransactions=10,transactionId=10",
                ["receiptResponse 80", "signedTransactions 10", "transactionId 10"]
            ),
            ("held=3, receipt", ["held 3", "receipt 1"]),
        ]
    )
    func mix(text: String, expected: [String]) throws {
        #expect(try EvidenceMix(text).weights.map { "\($0.kind.rawValue) \($0.weight)" } == expected)
    }

    @Test(
        "A malformed mix is refused with its fault",
        arguments: [
            ("", "is no kind"), ("receipts", "is no kind"), ("receipt=", "weight"), ("receipt=0", "weight"),
            ("receipt=-1", "weight"), ("receipt=1001", "weight"), ("receipt=1,receipt=2", "twice"),
            ("receipt=1,", "is no kind"),
        ]
    )
    func faults(text: String, message: String) {
        let fault = #expect(throws: LoadFault.self) { try EvidenceMix(text) }
        #expect(fault?.description.contains(message) == true)
    }

    @Test(
        "Addresses are read, and loopback is recognised",
        arguments: [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true), ("http://localhost", "localhost:80", true),
            ("http://[::1]:81/", "[::1]:81", true), ("http://10.0.0.1:8080", "10.0.0.1:8080", false),
            ("http://127.0.0.1.example.com", "127.0.0.1.example.com:80", false),
            ("HTTP://127.9.9.9", "127.9.9.9:80", true), ("http://LOCALHOST", "LOCALHOST:80", true),
            ("http://127.1:8080", "127.1:8080", true), ("http://10.1", "10.1:80", false),
            ("http://[0:0:0:0:0:0:0:1]:81", "[0:0:0:0:0:0:0:1]:81", true),
            ("http://[::ffff:127.0.0.1]:81", "[::ffff:127.0.0.1]:81", true),
            ("http://[::ffff:10.0.0.1]", "[::ffff:10.0.0.1]:80", false), ("http://[fe80::1]", "[fe80::1]:80", false),
        ]
    )
    func addresses(url: String, authority: String, isLoopback: Bool) throws {
        let address = try ServiceAddress(url)
        #expect(address.authority == authority)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(
        "An address of no service is refused",
        arguments: [
            "", "127.0.0.1:8080", "https://127.0.0.1", "http://", "http://h/path", "http://u@h", "http://h?q",
            "http://h#x", "http://h:0", "http://h:70000", "http://h:99999999999999999999/", "http://h:+80",
            "http://h: 80", "ftp://h",
        ]
    )
    func badAddresses(url: String) {
        #expect(throws: LoadFault.self) { try ServiceAddress(url) }
    }

    @Test("An account is a UUID in lowercase, always the same for a transaction")
    func accounts() {
        let account = RequestBody.account(of: "220000000000001")
        #expect(account == RequestBody.account(of: "220000000000001"))
        #expect(account != RequestBody.account(of: "220000000000002"))
        #expect(account.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }
}
