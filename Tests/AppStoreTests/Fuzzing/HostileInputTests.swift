import EvidenceRecognition
import Foundation
import Offers
import SignedDataFixtures
import Testing

@testable import AppStore

/// Inputs that a stranger may send, made from good ones by a seeded generator.
///
/// Each is refused or read, and the test process lives on. `OFFER_SIGNER_SOAK_SECONDS` sets how long each kind is tried
/// (`make soak`), instead of a few thousand inputs.
@Suite("Hostile input neither crashes nor hangs the readers")
struct HostileInputTests {
    private static let soakSeconds = ProcessInfo.processInfo.environment["OFFER_SIGNER_SOAK_SECONDS"].flatMap(
        Double.init
    )

    /// Reads inputs until the run is over.
    ///
    /// - Parameters:
    ///   - name: What is read, for the report of a long run.
    ///   - seeds: Good inputs.
    ///   - count: How many inputs a short run has.
    ///   - read: Reads one.
    private func run(_ name: String, _ seeds: [[UInt8]], count: Int, _ read: ([UInt8]) -> Void) {
        var generator = Mutator(seed: UInt64(bitPattern: Int64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) })))
        let end = Self.soakSeconds.map { Date(timeIntervalSinceNow: $0) }
        var tried = 0
        var slowest = Duration.zero
        while end.map({ Date() < $0 }) ?? (tried < count) {
            let input = generator.mutation(of: seeds)
            let time = ContinuousClock().measure { read(input) }
            slowest = max(slowest, time)
            tried += 1
        }
        guard Self.soakSeconds != nil else { return }
        // Inputs are as small as their seeds: what takes seconds would be a hang with a large one. Not asserted beside
        // other tests, which hold this one up.
        #expect(slowest < .seconds(5))
        print("\(name): \(tried) inputs, the slowest took \(slowest)")
    }

    @Test("JWS: whole ones, and the header and payload inside")
    func signedData() throws {
        let authority = try TestAuthority()
        let signer = try authority.signer()
        let payload = #"""
            {"transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","expiresDate":1797600000000,
            "type":"Auto-Renewable Subscription","environment":"Sandbox","signedDate":1795262400000,"offerType":1}
            """#
        let reader = AppStoreEvidenceReader(
            verifier: SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
        )
        let jws = try signer.sign(payload)
        run("JWS", [Array(jws.utf8)], count: 1500) { input in
            let text = String(decoding: input, as: UTF8.self)
            _ = try? reader.history(from: .signedTransactions([text], renewalInfos: [text]))
        }
        // The certificates, in a JWS that is otherwise well-formed.
        run("certificates", signer.certificates, count: 1500) { input in
            _ = try? CertificateChain([input, signer.certificates[1], signer.certificates[2]])
            _ = try? TrustedRoot(contents: input)
        }
        // The payload, with a signature that is good: the reader has to hold what the verifier lets through.
        run("payloads", [Array(payload.utf8)], count: 1500) { input in
            guard let jws = try? signer.sign(String(decoding: input, as: UTF8.self)) else { return }
            _ = try? reader.history(from: .signedTransactions([jws], renewalInfos: [jws]))
        }
    }

    @Test("Receipts: ASN.1 with definite and indefinite lengths, and the old text")
    func receipts() throws {
        let info = Data("{ \"transaction-id\" = \"1\"; }".utf8).base64EncodedString()
        let seeds = try [
            #require(Base64.decode(ReceiptTransactionTests.definite)),
            #require(Base64.decode(ReceiptTransactionTests.indefinite)),
            Array("{ \"purchase-info\" = \"\(info)\"; }".utf8),
        ]
        run("receipts", seeds, count: 10_000) { input in
            try? ReceiptOrigin.check(Data(input).base64EncodedString(), for: "com.example.reader")
            _ = RecognisedContent(String(decoding: input, as: UTF8.self))?.detail(in: .receipt)
            _ = RecognisedContent(Data(input).base64EncodedString())?.detail(in: .receipt)
            let found = try? ReceiptTransaction.identifier(in: Data(input).base64EncodedString())
            // Whatever is found becomes a part of a path.
            if let found { #expect(found.utf8.allSatisfy { (0x30...0x39).contains($0) }) }
        }
    }

    @Test("Answers of verifyReceipt and of the Server API")
    func answers() {
        let verifyReceipt = #"""
            {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"b","request_date_ms":"1595440486402","in_app":[
            {"product_id":"p","transaction_id":"2","purchase_date":"2020-07-22 17:54:46 Etc/GMT"}]},"latest_receipt_info":
            [{"product_id":"p","expires_date_ms":1594755700000.75,"is_trial_period":"false"}],"pending_renewal_info":
            [{"original_transaction_id":"1","auto_renew_status":"0","grace_period_expires_date_ms":"1594756000000"}]}
            """#
        let status = #"""
            {"environment":"Sandbox","bundleId":"b","data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":
            "a.b.c","signedRenewalInfo":"a.b.c"}]}],"errorCode":4040010}
            """#
        let verifier = SignedDataVerifier()
        run("answers", [Array(verifyReceipt.utf8), Array(status.utf8)], count: 10_000) { input in
            _ = try? VerifyReceiptResponse(json: input).history()
            _ = try? HistoryUnderWay(
                StatusResponse(json: input),
                verifiedBy: verifier,
                in: .production,
                asOf: Timestamp(millisecondsSince1970: 0)
            ).history()
            _ = ServerAPIError(json: input)?.meaning
        }
    }
}
