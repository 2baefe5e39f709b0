import Crypto
import Foundation
import OfferService
import Offers
import Testing

/// A key, its identifier in the payload, and the one that StoreKit is given: whichever is wrong, there is one fix.
@Suite("The fix for a wrong key")
struct DiagnosedKeysTests {
    private let keys = ["FIRSTKEY01": P256.Signing.PrivateKey(), "SECONDKEY2": P256.Signing.PrivateKey()]
    private let app = App(
        bundleId: "com.example.reader",
        subscriptionGroups: [
            SubscriptionGroup(id: "1", products: [Product(id: "monthly", offers: [PromotionalOffer(id: "stay")])])
        ]
    )

    private func diagnose(
        signer: String,
        payload: String,
        storeKit: String,
        record: RecordedSignature? = nil
    ) throws -> Diagnosis {
        let fields = ["com.example.reader", payload, "monthly", "stay", "", "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c"]
        let message = (fields + ["1795262400000"]).joined(separator: "\u{2063}")
        let report = SignatureReport(
            bundleId: fields[0],
            keyIdentifier: storeKit,
            productId: fields[2],
            offerId: fields[3],
            account: .none,
            nonce: fields[5],
            timestamp: 1_795_262_400_000,
            signature: try #require(keys[signer]).signature(for: Data(message.utf8)).derRepresentation
                .base64EncodedString()
        )
        let verifiers = try keys.map { id, key in
            try key.verifier(id)
        }
        return Diagnostician(
            app: app,
            verifiers: verifiers,
            otherBundleIds: [],
            record: record,
            now: Timestamp(millisecondsSince1970: 1_795_262_400_000)
        ).diagnose(report)
    }

    @Test(
        "StoreKit is given another key's identifier than signed, which is in the payload",
        arguments: ["SECONDKEY2", "GONE"]
    )
    func stale(storeKit: String) throws {
        let causes = try diagnose(signer: "FIRSTKEY01", payload: "FIRSTKEY01", storeKit: storeKit).causes
        #expect(causes.map(\.code) == [.wrongKey, .keyIdMismatch])
        #expect(causes.map(\.detail).allSatisfy { $0.contains("FIRSTKEY01") && $0.contains(storeKit) })
        #expect(
            Set(causes.map(\.fix)) == [
                "Give StoreKit FIRSTKEY01, the key that signed and whose identifier is in the payload."
            ]
        )
        #expect(try diagnose(signer: "FIRSTKEY01", payload: "FIRSTKEY01", storeKit: "FIRSTKEY01").isValid)
    }

    @Test("Another key signed than payload and StoreKit name")
    func otherSigner() throws {
        let causes = try diagnose(signer: "SECONDKEY2", payload: "FIRSTKEY01", storeKit: "FIRSTKEY01").causes
        #expect(causes.map(\.code) == [.wrongKey])
        #expect(causes.first?.detail == "The signature is by the key SECONDKEY2, not by FIRSTKEY01.")
        #expect(
            causes.first?.fix
                == "Put the identifier of the key that signs, SECONDKEY2, into the payload and give it to "
                + "StoreKit, or sign with the key that StoreKit is given."
        )
        #expect(try diagnose(signer: "SECONDKEY2", payload: "SECONDKEY2", storeKit: "SECONDKEY2").isValid)
    }

    @Test("The payload carries another key's identifier than signed and StoreKit is given")
    func otherPayload() throws {
        let causes = try diagnose(signer: "FIRSTKEY01", payload: "SECONDKEY2", storeKit: "FIRSTKEY01").causes
        #expect(causes.map(\.code) == [.keyIdMismatch])
        #expect(causes.first?.detail == "The payload carries the key id SECONDKEY2, not FIRSTKEY01.")
        #expect(causes.first?.fix == "Put the key id that StoreKit is given, FIRSTKEY01, into the payload.")
    }

    @Test("All values are those on record, and the signature is another's: nothing is said of keys and files")
    func otherSignature() throws {
        let record = RecordedSignature(
            bundleId: "com.example.reader",
            keyIdentifier: "FIRSTKEY01",
            productId: "monthly",
            offerId: "stay",
            account: .none,
            timestamp: Timestamp(millisecondsSince1970: 1_795_262_400_000)
        )
        // What was signed has nothing to do with the report but its key.
        let strange = try diagnose(signer: "FIRSTKEY01", payload: "?", storeKit: "FIRSTKEY01", record: record)
        #expect(strange.causes.map(\.code) == [.unexplained])
        #expect(strange.causes.first?.detail.hasSuffix("this is not the signature that it gave for them.") == true)
        let right = try diagnose(signer: "FIRSTKEY01", payload: "FIRSTKEY01", storeKit: "FIRSTKEY01", record: record)
        #expect(right == Diagnosis(isValid: true, causes: []))
    }
}
