import LedgerFixtures
import Testing

@testable import AppStore
@testable import Offers

@Suite("latest_receipt_info and in_app are one history")
struct JoinedTransactionsTests {
    private static let counts = [1, 2, 15, 16, 17, 40]

    private func transaction(_ number: Int, of subscription: Int, doesExpire: Bool = true) -> Transaction {
        let dates = [number, number + 1].map { Timestamp(millisecondsSince1970: Int64($0)) }
        let end = doesExpire ? dates[1] : nil
        return Transaction("\(subscription)", "pro", from: dates[0], until: end, called: "\(number)")
    }

    @Test("Each list keeps what it alone has, however long the other is", arguments: counts)
    func union(count: Int) {
        let latest = (0..<count).map { transaction($0, of: 0) }
        let receipt = [transaction(0, of: 0), transaction(count + 5, of: 0), transaction(count + 6, of: 1)]
        let joined = JoinedTransactions(latest, and: receipt)
        #expect(joined.transactions == latest + receipt.dropFirst())
        #expect(joined.lacksPeriods)
    }

    @Test("Members of both copies of a transaction count, whichever list is fuller", arguments: counts)
    func fullerCopy(count: Int) {
        let others = (1..<count).map { transaction($0, of: 0) }
        let poor = transaction(0, of: 0, doesExpire: false)
        var full = transaction(0, of: 0)
        full.revocationDate = Timestamp(millisecondsSince1970: 7)
        full.offer = .promotional("stay30")
        #expect(JoinedTransactions([poor] + others, and: [full]).transactions == [full] + others)
        #expect(JoinedTransactions([full] + others, and: [poor]).transactions == [full] + others)
    }

    @Test(
        "Only a paid period that latest_receipt_info leaves out of a subscription it has makes it incomplete",
        arguments: counts
    )
    func periods(count: Int) {
        let latest = (0..<count).map { transaction($0, of: 0) }
        var restored = transaction(0, of: 0)
        restored.transactionId = "restored"
        #expect(!JoinedTransactions(latest, and: [restored]).lacksPeriods)
        #expect(!JoinedTransactions(latest, and: [transaction(99, of: 1)]).lacksPeriods)
        #expect(!JoinedTransactions(latest, and: [transaction(99, of: 0, doesExpire: false)]).lacksPeriods)
        #expect(JoinedTransactions(latest, and: [transaction(99, of: 0)]).lacksPeriods)
    }
}
