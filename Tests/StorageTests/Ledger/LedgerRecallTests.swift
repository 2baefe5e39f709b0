import Offers
import Testing

@testable import Storage

@Suite("The customer of a signature is found again")
struct LedgerRecallTests {
    private func report(of account: Account, _ record: LedgerRecord) -> SignatureReport {
        SignatureReport(
            bundleId: record.bundleId,
            keyIdentifier: record.keyIdentifier,
            productId: record.productId,
            offerId: record.offerId,
            account: account,
            nonce: record.nonce,
            timestamp: record.timestamp.millisecondsSince1970,
            signature: ""
        )
    }

    /// What a diagnosis says where the account alone differs.
    private func codes(signed: String, reported: Account) async throws -> [DiagnosisCode] {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store().commit([.of(account: signed, at: fixture.now)])
        let record = try #require(try fixture.records().first)
        let report = report(of: reported, record)
        let recall = LedgerRecall(try fixture.database(readOnly: true), digestKey: testDigestKey)
        let recalled = await recall.signature(nonce: record.nonce, accounts: report.accountsToRecall)
        let app = App(bundleId: record.bundleId, subscriptionGroups: [])
        let found = Diagnostician(app: app, verifiers: [], otherBundleIds: [], record: recalled, now: fixture.now)
            .diagnose(report)
        return found.causes.map(\.code).filter { $0 != .offerNotInCatalog }
    }

    @Test(
        "A name that differs in its case alone is recognised",
        arguments: [
            ("Led-1", "led-1"), ("Led-1", "LED-1"), ("led-1", "Led-1"), ("ReaderOne7", "readerone7"),
            ("Anna.Schmidt@example.com", "anna.schmidt@example.com"), ("ÄRGER", "ärger"),
        ]
    )
    func mixedCase(signed: String, reported: String) async throws {
        #expect(try await codes(signed: signed, reported: .applicationUsername(reported)) == [.accountCase])
        #expect(
            try await codes(signed: signed, reported: .applicationUsername(reported + "0")) == [.accountUnexpected]
        )
    }

    @Test("A UUID signed in upper case as a name, and set as a token")
    func token() async throws {
        let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let token = try #require(AppAccountToken(uuid))
        #expect(try await codes(signed: uuid.uppercased(), reported: .appAccountToken(token)) == [.accountCase])
        #expect(try await codes(signed: "somebody", reported: .appAccountToken(token)) == [.accountUnexpected])
    }
}
