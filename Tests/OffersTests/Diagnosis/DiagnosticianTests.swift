import Offers
import Testing

@Suite("Why StoreKit refused a discount, beside what was signed")
struct DiagnosticianTests {
    private static let now = BackendMistake.now
    /// 64 bytes in Base64.
    private static let raw = String(repeating: "SlVOSw", count: 14) + "SA=="

    private func codes(
        _ report: SignatureReport,
        by keys: [String] = ["KEY0"],
        record: RecordedSignature? = nil
    ) -> [DiagnosisCode] { BackendMistake.diagnosis(report, by: keys, record: record).causes.map(\.code) }

    /// What the service signed with the nonce.
    private func record(
        _ productId: String = "monthly",
        _ offerId: String = "back50",
        of bundleId: String = BackendMistake.app.bundleId,
        account: RecordedSignature.SignedAccount = .known(BackendMistake.account),
        use: RecordedSignature.Use? = nil
    ) -> RecordedSignature {
        RecordedSignature(
            bundleId: bundleId,
            keyIdentifier: "KEY0",
            productId: productId,
            offerId: offerId,
            account: account,
            timestamp: clock,
            use: use
        )
    }

    @Test(
        "A right signature has no cause; if it was refused, what StoreKit's error rules out is said, where that is known"
    )
    func right() {
        #expect(codes(BackendMistake.report()) == [])
        let errors: [(ReportedError, Bool)] = [
            (.number(12), true), (.text("userCancelled"), true), (.number(99), false),
        ]
        for (error, isKnown) in errors {
            let diagnosis = BackendMistake.diagnosis(BackendMistake.report(error: error))
            #expect(diagnosis.isValid && diagnosis.causes.map(\.code) == [.unexplained])
            #expect(diagnosis.causes.first?.detail.contains("rules out") == isKnown, "\(error)")
        }
        for (count, isTold) in [(512, false), (513, true)] {
            let account = Account.applicationUsername(String(repeating: "x", count: count))
            let long = BackendMistake.diagnosis(BackendMistake.report(account: account, error: .number(12)))
            #expect(long.isValid && long.causes.map(\.code) == [.unexplained])
            #expect(long.causes.contains { $0.detail.contains("\(count) bytes") } == isTold)
        }
    }

    @Test(
        "A name in mixed case that the app's client wrote in another",
        arguments: [
            ("Led-1", "led-1"), ("Led-1", "LED-1"), ("leDgEr", "Ledger"), ("Anna.Schmidt@a.de", "anna.schmidt@a.de"),
        ]
    )
    func mixedCase(signed: String, reported: String) {
        for (reported, expected) in [(reported, DiagnosisCode.accountCase), (reported + "0", .unexplained)] {
            let report = BackendMistake.report(account: .applicationUsername(reported))
            var backend = Backend(signingFor: report)
            backend.fields[4] = signed
            #expect(BackendMistake.diagnosis(report, signed: backend).causes.map(\.code) == [expected])
        }
    }

    @Test("A day and a millisecond is too old, a day is not; ten minutes ahead is too far, in seconds as well")
    func time() {
        func dated(_ timestamp: Int64) -> [DiagnosisCode] { codes(BackendMistake.report(timestamp: timestamp)) }
        #expect(dated(Self.now - 86_400_000) == [])
        #expect(dated(Self.now - 86_400_001) == [.timestampExpired])
        #expect(dated(Self.now + 600_000) == [.timestampInFuture])
        #expect(dated(Self.now / 1000) == [.timestampInSeconds])
        #expect(dated(Self.now / 1000 - 90_000) == [.timestampInSeconds, .timestampExpired])
        #expect(dated(Self.now / 1000 + 3600) == [.timestampInSeconds, .timestampInFuture])
    }

    @Test("Certain causes are named for a signature that nothing explains, too, and come first")
    func certain() {
        func codes(_ timestamp: Int64 = Self.now, offerId: String = "back50", _ text: String = Self.raw)
            -> [DiagnosisCode]
        {
            self.codes(BackendMistake.report(offerId: offerId, timestamp: timestamp, signature: text), by: [])
        }
        #expect(codes() == [.signatureRawNotDER, .unexplained])
        #expect(codes(offerId: "gone") == [.signatureRawNotDER, .offerNotInCatalog, .unexplained])
        #expect(codes(Self.now - 90_000_000) == [.signatureRawNotDER, .timestampExpired, .unexplained])
        #expect(codes(Self.now + 3_600_000) == [.signatureRawNotDER, .timestampInFuture, .unexplained])
        #expect(codes(Self.now / 1000) == [.timestampInSeconds, .signatureRawNotDER, .unexplained])
        #expect(codes(0) == [.signatureRawNotDER, .timestampExpired, .unexplained], "not even 1970, in seconds")
        #expect(codes(-5) == [.signatureRawNotDER, .timestampExpired, .unexplained])
        #expect(codes(Self.now - 90_000_000, "") == [.timestampExpired, .unexplained])
    }

    @Test("What makes a right signature invalid: a text that is none or is wrapped, a nonce that is no UUID")
    func texts() {
        func found(nonce: String = BackendMistake.nonce, signature: String = "MAYCAQECAQE=") -> DiagnosisCause? {
            let report = BackendMistake.report(nonce: nonce, signature: signature)
            let diagnosis = BackendMistake.diagnosis(report)
            #expect(!diagnosis.isValid && diagnosis.causes.count == 1)
            return diagnosis.causes.first
        }
        #expect(found(signature: "")?.detail == "The signature is empty.")
        #expect(found(signature: "bm9uc2Vuc2U=")?.detail.contains("neither ASN.1 DER nor 64 bytes") == true)
        let wrapped = found(signature: "MAYCAQEC\nAQE=")
        #expect(wrapped?.code == .signatureWrapped && wrapped?.detail.contains("line breaks") == true)
        for nonce in ["abc", "", BackendMistake.nonce.replacing("-", with: "")] {
            let cause = found(nonce: nonce)
            #expect(cause?.code == .unexplained && cause?.detail.contains("no UUID") == true)
        }
    }

    @Test("The catalog lacks an offer that neither app has, and nothing where another one was signed that it has")
    func catalog() {
        func codes(_ productId: String, _ offerId: String, _ change: (inout Backend) -> Void = { _ in })
            -> [DiagnosisCode]
        {
            let report = BackendMistake.report(productId: productId, offerId: offerId)
            var backend = Backend(signingFor: report)
            change(&backend)
            let diagnosis = BackendMistake.diagnosis(report, signed: backend)
            #expect(!diagnosis.isValid)
            return diagnosis.causes.map(\.code)
        }
        #expect(codes("monthly", "gone") == [.offerNotInCatalog])
        #expect(codes("yearly", "back50") { $0.fields[2] = "monthly" } == [.productMismatch])
        #expect(codes("monthly", "loyal20") { $0.fields[3] = "back50" } == [.offerMismatch])
        #expect(codes("monthly", "stay30") { $0.fields[3] = "back50" } == [.offerMismatch])
        func forOther(_ backend: inout Backend) { backend.fields[0] = BackendMistake.other.bundleId }
        #expect(codes("monthly", "gone", forOther) == [.bundleMismatch, .offerNotInCatalog])
        #expect(codes("monthly", "stay30", forOther) == [.bundleMismatch])
        #expect(codes("other.monthly", "here", forOther) == [.bundleMismatch])
    }

    @Test("By the ledger, every field that differs is named with both values, of the account only that it differs")
    func recorded() {
        let report = BackendMistake.report(
            keyIdentifier: "OTHERKEY01",
            productId: "yearly",
            offerId: "stay30",
            account: .applicationUsername("bob"),
            nonce: BackendMistake.nonce.uppercased(),
            timestamp: Self.now / 1000,
            signature: "bm8gc2lnbmF0dXJl"
        )
        let causes = BackendMistake.diagnosis(report, by: [], record: record(account: .other)).causes
        let expected: [DiagnosisCode] = [
            .timestampInSeconds, .accountUnexpected, .keyIdMismatch, .productMismatch, .offerMismatch,
        ]
        #expect(causes.map(\.code) == expected)
        for words in ["the timestamp \(Self.now) ", "the key id KEY0 ", "the product monthly ", "the offer back50 "] {
            #expect(causes.contains { $0.detail.contains("signed \(words)") }, "\(words)")
        }
        let moved = BackendMistake.diagnosis(BackendMistake.report(timestamp: Self.now + 1), by: [], record: record())
        #expect(moved.causes.map(\.code) == [.unexplained])
        #expect(moved.causes.first?.detail.contains("timestamp \(Self.now) ") == true)
        for (signed, reported, code) in [
            (.none, BackendMistake.account, .accountMissing), (.other, .none, .accountUnexpected),
            (.known(.applicationUsername("LED-1")), BackendMistake.account, .accountCase),
        ] as [(RecordedSignature.SignedAccount, Account, DiagnosisCode)] {
            let report = BackendMistake.report(account: reported)
            let causes = BackendMistake.diagnosis(report, by: [], record: record(account: signed)).causes
            #expect(causes.map(\.code) == [code])
            #expect(causes.allSatisfy { !$0.detail.contains("LED-1") }, "nobody learns whom it was signed for")
        }
    }

    @Test(
        "By the ledger, the catalog is asked for the offer that was signed, and a time that StoreKit was given counts"
    )
    func recordInCatalog() {
        func codes(_ record: RecordedSignature, timestamp: Int64 = Self.now) -> [DiagnosisCode] {
            self.codes(BackendMistake.report(timestamp: timestamp), by: [], record: record)
        }
        #expect(codes(record("yearly")) == [.productMismatch, .offerNotInCatalog])
        #expect(codes(record("yearly", "loyal20")) == [.productMismatch, .offerMismatch])
        #expect(codes(record("monthly", "stay30")) == [.offerMismatch])
        #expect(codes(record("monthly", "gone", of: "com.example.other")) == [.offerMismatch, .bundleMismatch])
        #expect(codes(record("monthly", "gone")) == [.offerMismatch, .offerNotInCatalog])
        for timestamp in [0, -5, 1_795_000_000_000] as [Int64] {
            #expect(codes(record(), timestamp: timestamp) == [.timestampExpired, .unexplained])
        }
    }

    @Test(
        "Of a right signature the ledger shows that its nonce is another's, or that it was used; of another, that it is not its own"
    )
    func rightAndRecorded() {
        let report = BackendMistake.report()
        #expect(codes(report, record: record()) == [])
        #expect(codes(report, record: record("monthly", "stay30")) == [.nonceReused])
        let use = RecordedSignature.Use(redeemedAt: clock)
        let used = BackendMistake.diagnosis(report, record: record(use: use))
        #expect(used.isValid && used.causes.map(\.code) == [.signatureUsed])
        #expect(used.causes.first?.detail.contains(clock.rfc3339) == true)
        var backend = Backend(signingFor: report)
        backend.key = "another"
        for (keys, words) in [
            (["KEY0"], "the key that the catalog has by this id did not make this signature."),
            (["KEY1"], "with the key KEY0, which the catalog no longer has, so that the signature cannot be verified."),
        ] {
            let strange = BackendMistake.diagnosis(report, signed: backend, by: keys, record: record())
            #expect(strange.causes.map(\.code) == [.unexplained])
            #expect(strange.causes.first?.detail.contains(words) == true, "\(strange)")
        }
    }

    @Test("One fix for a key, its identifier in the payload, and the one that StoreKit is given, whichever is wrong")
    func keys() {
        func causes(signer: String, payload: String, storeKit: String) -> [DiagnosisCause] {
            let report = BackendMistake.report(keyIdentifier: storeKit)
            var backend = Backend(signingFor: report)
            (backend.key, backend.fields[1]) = (signer, payload)
            return BackendMistake.diagnosis(report, signed: backend).causes
        }
        for storeKit in ["KEY1", "GONE"] {
            let stale = causes(signer: "KEY0", payload: "KEY0", storeKit: storeKit)
            #expect(stale.map(\.code) == [.wrongKey, .keyIdMismatch])
            #expect(stale.map(\.detail).allSatisfy { $0.contains("KEY0") && $0.contains(storeKit) })
            let fix = "Give StoreKit KEY0, the key that signed and whose identifier is in the payload."
            #expect(Set(stale.map(\.fix)) == [fix])
        }
        let signer = causes(signer: "KEY1", payload: "KEY0", storeKit: "KEY0")
        #expect(signer.map(\.code) == [.wrongKey])
        #expect(signer.first?.detail == "The signature is by the key KEY1, not by KEY0.")
        #expect(
            signer.first?.fix == "Put the identifier of the key that signs, KEY1, into the payload and give it to "
                + "StoreKit, or sign with the key that StoreKit is given."
        )
        let payload = causes(signer: "KEY0", payload: "KEY1", storeKit: "KEY0")
        #expect(payload.map(\.code) == [.keyIdMismatch])
        #expect(payload.first?.detail == "The payload carries the key id KEY1, not KEY0.")
        #expect(payload.first?.fix == "Put the key id that StoreKit is given, KEY0, into the payload.")
    }
}
