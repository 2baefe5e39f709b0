import Crypto
import EvidenceRecognition
import Foundation
import LedgerFixtures
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

    /// Reads inputs until the run is over: good ones are read, and some of the bad ones refused.
    ///
    /// - Parameters:
    ///   - name: What is read, for the report of a long run.
    ///   - seeds: Good inputs.
    ///   - count: How many inputs a short run has.
    ///   - read: Reads one; `true` when it was taken.
    private func run(_ name: String, _ seeds: [[UInt8]], count: Int, _ read: ([UInt8]) -> Bool) {
        var generator = Mutator(seed: UInt64(bitPattern: Int64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) })))
        for (index, seed) in seeds.enumerated() { #expect(read(seed), "\(name): good input \(index) is refused") }
        let end = Self.soakSeconds.map { Date(timeIntervalSinceNow: $0) }
        var tried = 0
        var taken = 0
        var slowest = Duration.zero
        while end.map({ Date() < $0 }) ?? (tried < count) {
            let input = generator.mutation(of: seeds)
            let time = ContinuousClock().measure { if read(input) { taken += 1 } }
            slowest = max(slowest, time)
            tried += 1
        }
        #expect(taken < tried, "\(name): nothing is refused")
        guard Self.soakSeconds != nil else { return }
        // Inputs are as small as their seeds: what takes seconds would be a hang with a large one. Not asserted beside
        // other tests, which hold this one up.
        #expect(slowest < .seconds(5))
        print("\(name): \(tried) inputs, \(taken) taken, the slowest took \(slowest)")
    }

    private static let payload = #"""
        {"transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","expiresDate":1797600000000,
        "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"Sandbox","signedDate":1795262400000,"offerType":1}
        """#
    private static let renewalPayload = #"""
        {"originalTransactionId":"1","productId":"p","autoRenewProductId":"p","autoRenewStatus":1,
        "environment":"Sandbox","signedDate":1795262400000}
        """#

    @Test("A JWS that was changed is refused, or says the same")
    func signedData() throws {
        let authority = try TestAuthority()
        let signer = try authority.signer()
        let root = try TrustedRoot(contents: authority.rootDER)
        let reader = AppStoreEvidenceReader(verifier: SignedDataVerifier(additionalRoots: [root]))
        let jws = try signer.sign(Self.payload)
        let renewal = try signer.sign(Self.renewalPayload)
        let alone = try reader.book(from: .signedTransactions([jws], renewalInfos: []))
        let both = try reader.book(from: .signedTransactions([jws], renewalInfos: [renewal]))
        #expect(alone != both)
        run("JWS", [Array(jws.utf8)], count: 1500) { input in
            let text = String(decoding: input, as: UTF8.self)
            let found = try? reader.book(from: .signedTransactions([text], renewalInfos: []))
            #expect(found == nil || found == alone, "\(text)")
            return found != nil
        }
        run("renewal infos", [Array(renewal.utf8)], count: 1500) { input in
            let text = String(decoding: input, as: UTF8.self)
            let found = try? reader.book(from: .signedTransactions([jws], renewalInfos: [text]))
            #expect(found == nil || found == both, "\(text)")
            return found != nil
        }
        // The certificates, in a JWS that is otherwise well-formed: no other key is trusted.
        let key = try CertificateChain(signer.certificates).signer(endingAt: [root.certificate], apples: []).publicKey
        run("certificates", [signer.certificates[0]], count: 1500) { input in
            _ = try? TrustedRoot(contents: input)
            let found = try? CertificateChain([input, signer.certificates[1], signer.certificates[2]])
                .signer(endingAt: [root.certificate], apples: [])
            #expect(found == nil || found?.publicKey.rawRepresentation == key.rawRepresentation)
            return found != nil
        }
    }

    @Test("A payload that is signed is read with all that a transaction needs, or refused")
    func payloads() throws {
        let authority = try TestAuthority()
        let signer = try authority.signer()
        let root = try TrustedRoot(contents: authority.rootDER)
        let reader = AppStoreEvidenceReader(verifier: SignedDataVerifier(additionalRoots: [root]))
        let renewal = try signer.sign(Self.renewalPayload)
        run("payloads", [Array(Self.payload.utf8)], count: 1500) { input in
            guard let jws = try? signer.sign(String(decoding: input, as: UTF8.self)),
                let found = try? reader.book(from: .signedTransactions([jws], renewalInfos: [renewal]))
            else { return false }
            #expect(found.transactions.count == 1 && found.bundleId != nil)
            return true
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
            try? SentReceipt.check(Data(input).base64EncodedString(), for: "com.example.reader")
            _ = RecognisedContent(String(decoding: input, as: UTF8.self))?.detail(in: .receipt)
            _ = RecognisedContent(Data(input).base64EncodedString())?.detail(in: .receipt)
            let found = try? SentReceipt(Data(input).base64EncodedString()).transactionToAskAbout()
            // Whatever is found becomes a part of a path.
            if let found { #expect(!found.isEmpty && found.utf8.allSatisfy { (0x30...0x39).contains($0) }) }
            return found != nil
        }
    }

    @Test("Answers of verifyReceipt and of the Server API")
    func answers() throws {
        let verifyReceipt = #"""
            {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"b","request_date_ms":"1595440486402","in_app":[
            {"product_id":"p","transaction_id":"2","purchase_date":"2020-07-22 17:54:46 Etc/GMT"}]},"latest_receipt_info":
            [{"product_id":"p","expires_date_ms":1594755700000.75,"is_trial_period":"false"}],"pending_renewal_info":
            [{"original_transaction_id":"1","auto_renew_status":"0","grace_period_expires_date_ms":"1594756000000"}]}
            """#
        run("verifyReceipt", [Array(verifyReceipt.utf8)], count: 5000) { input in
            (try? VerifyReceiptResponse(json: input).book(by: .client)) != nil
        }
        let authority = try TestAuthority()
        let signer = try authority.signer()
        let verifier = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
        let status = #"""
            {"environment":"Sandbox","bundleId":"b","data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":
            "\#(try signer.sign(Self.payload))","signedRenewalInfo":"\#(try signer.sign(Self.renewalPayload))"}]}]}
            """#
        run("statuses", [Array(status.utf8)], count: 1500) { input in
            let found = try? HistoryUnderWay(
                StatusResponse(json: input),
                verifiedBy: verifier,
                in: .sandbox,
                asOf: Timestamp(millisecondsSince1970: 0)
            ).history()
            return found != nil
        }
        run("errors", [Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8)], count: 3000) {
            ServerAPIError(json: $0) != nil
        }
    }
}
