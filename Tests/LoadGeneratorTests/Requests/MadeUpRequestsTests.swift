import Crypto
import Foundation
import NIOCore
import Testing

@testable import AppStoreSimulator
@testable import LoadGenerator

@Suite("The requests of customers who are made up")
struct MadeUpRequestsTests {
    private static let key = P256.Signing.PrivateKey()
    private static let first: Int64 = 1_790_000_000_000_000

    private func requests(_ customers: CustomerCount) -> MadeUpRequests {
        let customer = MadeUpCustomer(
            MadeUpRequests.identifierMark,
            of: "com.example.reader",
            productId: "p",
            .lapsed,
            atMilliseconds: 1_790_000_000_000
        )
        let offers = [ExpectedAnswer.Offer(productId: "p", offerId: "o")]
        let marks = [0, 1].map(MadeUpRequests.signedMark)
        let evidence = #"{"signedTransactions":["\#(marks[0])"],"signedRenewalInfos":["\#(marks[1])"]}"#
        return MadeUpRequests(
            customers,
            from: Self.first,
            expecting: ExpectedAnswer(bundleId: "com.example.reader", account: "", offers: offers),
            body: RequestBody.make(
                bundleId: "com.example.reader",
                account: MadeUpRequests.accountMark,
                evidence: Array(evidence.utf8),
                offers: offers
            ),
            payloads: customer.signedPayloads,
            signer: AppStoreSigner(key: Self.key, chain: [[1], [2]])
        ) { HTTPRequestBytes.head("/v1/signatures", host: "h", token: "t", bodyLength: $0) }
    }

    private func json(_ bytes: some Sequence<UInt8>) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func base64(_ text: Substring) throws -> Data {
        let digits = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: digits + String(repeating: "=", count: (4 - digits.count % 4) % 4)))
    }

    /// The payloads of a request's evidence, whose signatures are good.
    private func payloads(_ body: [String: Any]) throws -> [[String: Any]] {
        let evidence = try #require(body["evidence"] as? [String: [String]])
        let texts = [evidence["signedTransactions"]?.first, evidence["signedRenewalInfos"]?.first].compactMap(\.self)
        try #require(texts.count == 2)
        return try texts.map { text in
            let parts = text.split(separator: ".")
            try #require(parts.count == 3)
            #expect(try json(base64(parts[0]))["x5c"] as? [String] == ["AQ==", "Ag=="])
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: base64(parts[2]))
            #expect(Self.key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            return try json(base64(parts[1]))
        }
    }

    @Test("Each is a whole request of one customer, signed for that customer, ahead of time or not")
    func signed() async throws {
        var requests = requests(.new)
        try await requests.prepare(2)
        for number in 0..<4 {
            let text = String(buffer: requests.request(number))
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            try #require(parts.count == 2)
            #expect(parts[0].hasSuffix("Content-Length: \(parts[1].utf8.count)"))
            let body = try json(parts[1].utf8)
            #expect(body["appAccountToken"] as? String == requests.expected(number).account)
            let identifier = String(Self.first + Int64(number))
            for payload in try payloads(body) { #expect(payload["originalTransactionId"] as? String == identifier) }
        }
    }

    @Test("New customers never come again, a number of them does, and shared evidence is one's for ever more accounts")
    func customers() throws {
        func seen(_ customers: CustomerCount) throws -> (transactions: Int, accounts: Int) {
            let requests = requests(customers)
            let bodies = try (0..<60).map { try json(requests.body(of: $0)) }
            let transactions = try bodies.map { try payloads($0)[0]["transactionId"] as? String }
            return (Set(transactions).count, Set(bodies.map { $0["appAccountToken"] as? String }).count)
        }
        #expect(try seen(.new) == (60, 60))
        #expect(try seen(.number(5)) == (5, 5))
        #expect(try seen(.shared) == (1, 60))
    }

    @Test("Requests that are made ahead of time are those that would be made as they are sent")
    func ahead() async throws {
        let sent = requests(.number(7))
        var prepared = sent
        try await prepared.prepare(7)
        for number in 0..<20 {
            let bodies = try [sent, prepared].map { requests in
                try json(String(buffer: requests.request(number)).split(separator: "\r\n\r\n")[1].utf8)
            }
            #expect(bodies[0]["appAccountToken"] as? String == bodies[1]["appAccountToken"] as? String)
            let transactions = try bodies.map { try payloads($0)[0]["transactionId"] as? String }
            #expect(transactions[0] == transactions[1])
        }
    }
}
