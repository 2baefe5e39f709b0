import Offers
import Testing

@testable import Storage

@Suite("The customer of a signature is found again")
struct LedgerRecallTests {
    /// The account of a signature as the ledger finds it, when another one is reported.
    private func found(_ reported: Account, signed name: String) async throws -> RecordedSignature.SignedAccount? {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store().commit([.of(account: name, at: fixture.now)])
        let record = try #require(try fixture.records().first)
        let recall = LedgerRecall(try fixture.database(readOnly: true), digestKey: testDigestKey)
        return await recall.signature(nonce: record.nonce, accounts: reported.caseVariants)?.account
    }

    @Test(
        "A name that differs in its case alone is recognised",
        arguments: [
            ("Led-1", "led-1"), ("Led-1", "LED-1"), ("led-1", "Led-1"), ("ReaderOne7", "readerone7"),
            ("Anna.Schmidt@example.com", "anna.schmidt@example.com"), ("ÄRGER", "ärger"),
        ]
    )
    func mixedCase(signed: String, reported: String) async throws {
        let known = RecordedSignature.SignedAccount.known(.applicationUsername(signed))
        #expect(try await found(.applicationUsername(reported), signed: signed) == known)
        #expect(try await found(.applicationUsername(reported + "0"), signed: signed) == .other)
    }

    @Test("A UUID signed in upper case as a name, and set as a token")
    func token() async throws {
        let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let token = Account.appAccountToken(try #require(AppAccountToken(uuid)))
        let known = RecordedSignature.SignedAccount.known(.applicationUsername(uuid.uppercased()))
        #expect(try await found(token, signed: uuid.uppercased()) == known)
        #expect(try await found(token, signed: "somebody") == .other)
    }
}
