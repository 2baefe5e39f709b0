import Crypto
import Foundation
import OfferService
import Offers
import Testing

/// Makes each mistake on purpose, and looks whether it is found.
@Suite("Why StoreKit refused a signature")
struct DiagnosticianTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
    private static let nonce = "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c"
    private let first = P256.Signing.PrivateKey()

    private let app = App(
        bundleId: "com.example.Reader",
        subscriptionGroups: [
            SubscriptionGroup(
                id: "1",
                products: [
                    Product(id: "monthly", offers: [PromotionalOffer(id: "stay"), PromotionalOffer(id: "again")]),
                    Product(id: "yearly", offers: [PromotionalOffer(id: "upgrade")]),
                ]
            )
        ]
    )

    /// What a backend signs and hands on, right but for what a test changes.
    private struct Backend {
        var bundleId = "com.example.Reader"
        var keyIdentifier = "FIRSTKEY01"
        var productId = "monthly"
        var offerId = "stay"
        var account = token
        var nonce = DiagnosticianTests.nonce
        var timestamp = String(now.millisecondsSince1970)
        var encode: @Sendable (P256.Signing.ECDSASignature) -> String = { $0.derRepresentation.base64EncodedString() }
    }

    private func diagnose(
        _ backend: Backend,
        account: Account? = nil,
        timestamp: Int64? = nil,
        storeKitError: ReportedError? = nil,
        reporting change: (SignatureReport) -> SignatureReport = { $0 }
    ) throws -> Diagnosis {
        let fields = [
            backend.bundleId, backend.keyIdentifier, backend.productId, backend.offerId, backend.account,
            backend.nonce, backend.timestamp,
        ]
        let payload = fields.joined(separator: "\u{2063}")
        let signature = try first.signature(for: Data(payload.utf8))
        let token = try #require(AppAccountToken(Self.token))
        let report = SignatureReport(
            bundleId: "com.example.Reader",
            keyIdentifier: "FIRSTKEY01",
            productId: "monthly",
            offerId: "stay",
            account: account ?? .appAccountToken(token),
            nonce: backend.nonce,
            timestamp: timestamp ?? Self.now.millisecondsSince1970,
            signature: backend.encode(signature),
            storeKitError: storeKitError
        )
        let key = try first.verifier("FIRSTKEY01")
        return Diagnostician(app: app, verifiers: [key], otherBundleIds: ["com.example.other"], now: Self.now)
            .diagnose(change(report))
    }

    private func codes(_ diagnosis: Diagnosis) -> Set<DiagnosisCode> { Set(diagnosis.causes.map(\.code)) }

    @Test("A right signature that was refused gets a list of things to check", arguments: [0, 11, 12, 13, 14, 18])
    func refusedAllTheSame(error: Int64) throws {
        let diagnosis = try diagnose(Backend(), storeKitError: .number(error))
        #expect(diagnosis.isValid)
        #expect(diagnosis.causes.map(\.code) == [.unexplained])
    }

    @Test(
        "A name in mixed case that the app's client wrote in another",
        arguments: [
            ("Led-1", "led-1"), ("Led-1", "LED-1"), ("leDgEr", "Ledger"), ("Anna.Schmidt@a.de", "anna.schmidt@a.de"),
        ]
    )
    func mixedCase(signed: String, reported: String) throws {
        var backend = Backend()
        backend.account = signed
        #expect(try codes(diagnose(backend, account: .applicationUsername(reported))) == [.accountCase])
        #expect(try codes(diagnose(backend, account: .applicationUsername(reported + "0"))) == [.unexplained])
    }

    @Test("A day and a millisecond is too old, a day is not; ten minutes ahead is too far")
    func time() throws {
        func dated(_ offset: Int64) throws -> Set<DiagnosisCode> {
            var backend = Backend()
            let timestamp = Self.now.millisecondsSince1970 + offset
            backend.timestamp = String(timestamp)
            return try codes(diagnose(backend, timestamp: timestamp))
        }
        #expect(try dated(-86_400_000) == [])
        #expect(try dated(-86_400_001) == [.timestampExpired])
        #expect(try dated(600_000) == [.timestampInFuture])
    }

    @Test("An offer that the catalog does not have, signed all the same")
    func catalog() throws {
        var backend = Backend()
        backend.offerId = "gone"
        let diagnosis = try diagnose(backend) { $0.naming("monthly", "gone") }
        #expect(codes(diagnosis) == [.offerNotInCatalog])
        #expect(!diagnosis.isValid)
    }

    @Test(
        "Signatures of strangers, and what is none, are unexplained",
        arguments: ["", "????", "MEUC", "bm9uc2Vuc2U=", "%zz", "%4"]
    )
    func unexplained(text: String) throws {
        var backend = Backend()
        backend.encode = { _ in text }
        #expect(try codes(diagnose(backend)) == [.unexplained])
        backend.encode = { _ in
            let stranger = P256.Signing.PrivateKey()
            return (try? stranger.signature(for: Data("x".utf8)).derRepresentation.base64EncodedString()) ?? ""
        }
        #expect(try codes(diagnose(backend)) == [.unexplained])
    }

    @Test("Certain causes are named for an unexplained signature, too, and come first")
    func certain() throws {
        var backend = Backend()
        backend.encode = { (Data("JUNK".utf8) + $0.rawRepresentation.dropFirst(4)).base64EncodedString() }
        let hour: Int64 = 3_600_000
        let moment = Self.now.millisecondsSince1970
        func codes(_ timestamp: Int64, offerId: String = "stay") throws -> [DiagnosisCode] {
            try diagnose(backend, timestamp: timestamp) { $0.naming("monthly", offerId) }.causes.map(\.code)
        }
        #expect(try codes(moment) == [.signatureRawNotDER, .unexplained])
        #expect(try codes(moment, offerId: "gone") == [.signatureRawNotDER, .offerNotInCatalog, .unexplained])
        #expect(try codes(moment - 25 * hour) == [.signatureRawNotDER, .timestampExpired, .unexplained])
        #expect(try codes(moment + hour) == [.signatureRawNotDER, .timestampInFuture, .unexplained])
        #expect(try codes(moment / 1000) == [.timestampInSeconds, .signatureRawNotDER, .unexplained])
        #expect(try codes(0) == [.signatureRawNotDER, .timestampExpired, .unexplained], "not even 1970, in seconds")
        #expect(try codes(-5) == [.signatureRawNotDER, .timestampExpired, .unexplained])
        backend.encode = { _ in "" }
        #expect(try codes(moment - 25 * hour) == [.timestampExpired, .unexplained])
        #expect(try diagnose(backend).causes.last?.detail == "The signature is empty.")
        backend.encode = { _ in "bm9uc2Vuc2U=" }
        #expect(try diagnose(backend).causes.last?.detail.contains("neither ASN.1 DER nor 64 bytes") == true)
    }

    @Test("Seconds are as old as the moment that they mean")
    func oldSeconds() throws {
        for (offset, expected) in [(0, nil), (-90_000, DiagnosisCode.timestampExpired), (3600, .timestampInFuture)] {
            var backend = Backend()
            let timestamp = Self.now.millisecondsSince1970 / 1000 + Int64(offset)
            backend.timestamp = String(timestamp)
            let diagnosis = try diagnose(backend, timestamp: timestamp)
            #expect(diagnosis.causes.map(\.code) == [.timestampInSeconds] + [expected].compactMap { $0 })
        }
    }

    @Test("The catalog lacks nothing where another product or offer was signed that it has")
    func mismatchInCatalog() throws {
        func recomputed(_ productId: String, _ offerId: String) throws -> Set<DiagnosisCode> {
            try codes(diagnose(Backend()) { $0.naming(productId, offerId) })
        }
        #expect(try recomputed("yearly", "stay") == [.productMismatch])
        #expect(try recomputed("monthly", "upgrade") == [.offerMismatch])
        #expect(try recomputed("monthly", "again") == [.offerMismatch])
        var backend = Backend()
        backend.bundleId = "com.example.other"
        backend.productId = "other.monthly"
        #expect(try codes(diagnose(backend) { $0.naming("other.monthly", "stay") }) == [.bundleMismatch])
    }

    @Test("By the ledger, the catalog is asked for the offer that was signed")
    func recordInCatalog() throws {
        typealias Named = (productId: String, offerId: String)
        func recorded(_ offerId: String, of bundleId: String, _ reported: Named) throws -> [DiagnosisCause] {
            let record = RecordedSignature(
                bundleId: bundleId,
                keyIdentifier: "FIRSTKEY01",
                productId: "monthly",
                offerId: offerId,
                account: .known(.appAccountToken(try #require(AppAccountToken(Self.token)))),
                timestamp: Self.now
            )
            var causes: [DiagnosisCause] = []
            _ = try diagnose(Backend()) { report in
                let report = report.naming(reported.productId, reported.offerId)
                let judge = Diagnostician(app: app, verifiers: [], otherBundleIds: [], record: record, now: Self.now)
                causes = judge.diagnose(report).causes
                return report
            }
            return causes
        }
        let yearly = try recorded("stay", of: app.bundleId, ("yearly", "stay"))
        #expect(yearly.map(\.code) == [.productMismatch])
        let upgrade = try recorded("stay", of: app.bundleId, ("monthly", "upgrade"))
        #expect(upgrade.map(\.code) == [.offerMismatch])
        let elsewhere = try recorded("gone", of: "com.example.other", ("monthly", "stay"))
        #expect(elsewhere.map(\.code) == [.offerMismatch, .bundleMismatch])
        let removed = try recorded("gone", of: app.bundleId, ("monthly", "stay"))
        #expect(removed.map(\.code) == [.offerMismatch, .offerNotInCatalog])
        #expect(removed.last?.detail == "The catalog has no offer gone on monthly.")
    }

    @Test("A right signature that a redemption was made with was used, and is named as that")
    func used() throws {
        let account = Account.appAccountToken(try #require(AppAccountToken(Self.token)))
        let record = RecordedSignature(
            bundleId: app.bundleId,
            keyIdentifier: "FIRSTKEY01",
            productId: "monthly",
            offerId: "stay",
            account: .known(account),
            timestamp: Self.now,
            use: RecordedSignature.Use(redeemedAt: Self.now)
        )
        var report: SignatureReport?
        _ = try diagnose(Backend(), storeKitError: .number(12)) {
            report = $0
            return $0
        }
        let judge = Diagnostician(
            app: app,
            verifiers: [try first.verifier("FIRSTKEY01")],
            otherBundleIds: [],
            record: record,
            now: Self.now
        )
        let diagnosis = judge.diagnose(try #require(report))
        #expect(diagnosis.isValid)
        #expect(diagnosis.causes.map(\.code) == [.signatureUsed])
        #expect(diagnosis.causes.first?.detail.contains(Self.now.rfc3339) == true)
    }

    @Test("A nonce that is no UUID, and a text with line breaks, make a right signature invalid")
    func unnamed() throws {
        for nonce in ["abc", "", Self.nonce.replacing("-", with: "")] {
            var backend = Backend()
            backend.nonce = nonce
            let diagnosis = try diagnose(backend)
            #expect(!diagnosis.isValid)
            #expect(diagnosis.causes.map(\.code) == [.unexplained])
            #expect(diagnosis.causes.first?.detail.contains("no UUID") == true)
        }
        var backend = Backend()
        backend.encode = { $0.derRepresentation.base64EncodedString(options: .lineLength64Characters) }
        let diagnosis = try diagnose(backend)
        #expect(!diagnosis.isValid)
        #expect(diagnosis.causes.map(\.code) == [.signatureWrapped])
        #expect(diagnosis.causes.first?.detail.contains("line breaks") == true)
    }

    @Test("A refused signature for a name that is long says how long it is")
    func longName() throws {
        for (count, isTold) in [(512, false), (513, true)] {
            var backend = Backend()
            backend.account = String(repeating: "x", count: count)
            let diagnosis = try diagnose(
                backend,
                account: .applicationUsername(backend.account),
                storeKitError: .number(12)
            )
            #expect(diagnosis.isValid)
            #expect(diagnosis.causes.map(\.code) == [.unexplained])
            #expect(diagnosis.causes.contains { $0.detail.contains("\(count) bytes") } == isTold)
        }
    }
}

extension SignatureReport {
    /// The report, of another offer.
    fileprivate func naming(_ productId: String, _ offerId: String) -> SignatureReport {
        SignatureReport(
            bundleId: bundleId,
            keyIdentifier: keyIdentifier,
            productId: productId,
            offerId: offerId,
            account: account,
            nonce: nonce,
            timestamp: timestamp,
            signature: signature,
            storeKitError: storeKitError
        )
    }
}
