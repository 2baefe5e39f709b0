import Foundation
import LedgerFixtures
import Offers
import Testing

@testable import AppStore

@Suite("Asking verifyReceipt")
struct VerifyReceiptClientTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let fine = #"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"b","request_date_ms":"5"}}"#

    /// Asks with scripted answers: what came of it, and which environments were asked.
    private func ask(
        _ replies: [Result<IncomingResponse, TransportFault>],
        environments: Set<AppStoreEnvironment> = [.production, .sandbox],
        // Longer than a busy machine keeps a test waiting.
        deadline: Duration = .seconds(600)
    ) async throws -> (outcome: Result<Book, EvidenceFault>, requests: [OutgoingRequest]) {
        let transport = ScriptedTransport(replies)
        let fetcher = AppStoreEvidenceFetcher(
            [
                AppStoreApp(
                    bundleId: "b",
                    environments: environments,
                    sharedSecret: SharedSecret(contents: Array("secret\n".utf8))
                )
            ],
            over: transport,
            deadline: deadline
        )
        do throws(EvidenceFault) {
            let history = try await fetcher.history(answering: .receipt(base64: "MII="), for: "b")
            return (.success(history), transport.requests)
        } catch {
            return (.failure(error), transport.requests)
        }
    }

    private static func status(_ status: Int, _ more: String = "") -> Result<IncomingResponse, TransportFault> {
        .reply(#"{"status":\#(status)\#(more)}"#)
    }

    @Test("Production is asked, with the receipt and the secret, for all transactions")
    func request() async throws {
        let (outcome, requests) = try await ask([.reply(Self.fine)])
        #expect(try outcome.get().bundleId == "b")
        #expect(try outcome.get().asOf == Timestamp(millisecondsSince1970: 5))
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.method == .post)
        #expect(request.url == "production")
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body ?? [])) as? [String: any Sendable]
        )
        #expect(body.count == 3)
        #expect(body["receipt-data"] as? String == "MII=")
        #expect(body["password"] as? String == "secret")
        #expect(body["exclude-old-transactions"] as? Bool == false)
    }

    @Test("A sandbox receipt is asked about in the Sandbox, and the second answer's status counts too")
    func sandbox() async throws {
        let fine = try await ask([Self.status(21007), .reply(Self.fine)])
        #expect(fine.requests.map(\.url) == ["production", "sandbox"])
        #expect(try fine.outcome.get().environment == .sandbox)
        let refused = try await ask([Self.status(21007), Self.status(21003)])
        #expect(refused.outcome.code == "receipt_status")
        let circle = try await ask([Self.status(21007), Self.status(21008), .reply(Self.fine)])
        #expect(circle.requests.map(\.url) == ["production", "sandbox"])
        #expect(circle.outcome.code == "receipt_status")
        let test = try await ask([Self.status(21008), .reply(Self.fine)], environments: [.sandbox])
        #expect(test.requests.map(\.url) == ["sandbox", "production"])
    }

    @Test(
        "Statuses that pass are asked again, others are not",
        arguments: [
            ([21005, 0], 2, nil), ([21009, 21009, 0], 3, nil), ([21005, 21005, 21005, 0], 3, "app_store_unavailable"),
            ([21002, 0], 2, nil), ([21002, 21002, 0], 2, "app_store_unavailable"), ([21003, 0], 1, "receipt_status"),
            ([21010, 0], 1, "receipt_status"), ([21000, 0], 1, "receipt_status"), ([9, 0], 1, "receipt_status"),
            ([21004, 0], 1, "app_store_credentials"), ([21150, 0], 2, nil), ([21006], 1, nil),
        ] as [([Int], Int, String?)]
    )
    func retries(statuses: [Int], requests: Int, code: String?) async throws {
        let replies = statuses.map { $0 == 0 ? .reply(Self.fine) : Self.status($0) }
        let result = try await ask(replies)
        #expect(result.requests.count == requests)
        #expect(result.outcome.code == code)
    }

    @Test("A receipt that Apple doubts twice may be sent again, and the answer says that it may be damaged")
    func doubted() async throws {
        let doubt = try await ask([Self.status(21002), Self.status(21002)]).outcome
        let fault = #expect(throws: EvidenceFault.self) { try doubt.get() }
        #expect(fault?.kind == .unavailable(retryAfterSeconds: 60))
        #expect(fault?.detail.contains("damaged receipt, too") == true)
        let down = try await ask([Self.status(21002), .reply("", status: 404)]).outcome
        #expect(throws: EvidenceFault.appStoreUnavailable("verifyReceipt answered with HTTP 404.")) { try down.get() }
    }

    @Test(
        "is-retryable decides about internal faults, in every form that Apple has given it",
        arguments: [
            (#","is-retryable":true"#, 2), (#","is-retryable":"1""#, 2), (#","is_retryable":1"#, 2),
            (#","is-retryable":false"#, 1), (#","is-retryable":"0""#, 1), (#","is_retryable":0"#, 1),
        ]
    )
    func retryable(member: String, requests: Int) async throws {
        let result = try await ask([Self.status(21199, member), .reply(Self.fine)])
        #expect(result.requests.count == requests)
        #expect(result.outcome.code == (requests == 2 ? nil : "receipt_status"))
    }

    @Test("An internal fault that stays is named in the answer, with what else may be sent, and has time")
    func staying() async throws {
        let outcome = try await ask(Array(repeating: Self.status(21199), count: 3)).outcome
        let fault = #expect(throws: EvidenceFault.self) { try outcome.get() }
        #expect(fault?.kind == .unavailable(retryAfterSeconds: 60))
        #expect(fault?.detail.contains("status 21199") == true && fault?.detail.contains("transactionId") == true)
    }

    @Test("Faults of the server, garbage and broken connections are asked again")
    func faults() async throws {
        for fault in [
            .reply("<html>", status: 503), .reply("<html>"), .reply(""), .failure(.connection), .failure(.timeout),
        ] as [Result<IncomingResponse, TransportFault>] {
            let result = try await ask([fault, .reply(Self.fine)])
            #expect(result.requests.count == 2)
            #expect(result.outcome.code == nil)
        }
        for fault in [
            .reply("", status: 302), .reply("", status: 404), .reply("", status: 429), .failure(.tooLarge),
        ] as [Result<IncomingResponse, TransportFault>] {
            let result = try await ask([fault, .reply(Self.fine)])
            #expect(result.requests.count == 1)
            #expect(result.outcome.code == "app_store_unavailable")
        }
    }

    @Test("An answer without date or environment is of the time it came, and of the environment that was asked")
    func oldStyle() async throws {
        let receipt = #"{"status":21006,"receipt":{"bid":"b","product_id":"p","original_transaction_id":1}}"#
        let result = try await ask([Self.status(21007), .reply(receipt)])
        #expect(try result.outcome.get().asOf == Self.now)
        #expect(try result.outcome.get().environment == .sandbox)
        #expect(try result.outcome.get().transactions.map(\.productId) == ["p"])
    }

    @Test("Nothing of the secret is in its descriptions, and only one line of visible characters is a secret")
    func secret() throws {
        let secret = try #require(SharedSecret(contents: Array("hunter2 \r\n".utf8)))
        #expect(secret.text == "hunter2")
        #expect(!"\(secret) \(String(reflecting: secret)) \([secret])".contains("hunter2"))
        for text in ["", "\n", "a b", "a\nb", "é", String(repeating: "x", count: 257)] {
            #expect(SharedSecret(contents: Array(text.utf8)) == nil)
        }
    }
}

extension Result<Book, EvidenceFault> {
    /// The code of the fault; `nil` for a history.
    var code: String? {
        if case .failure(let fault) = self { fault.code } else { nil }
    }
}
