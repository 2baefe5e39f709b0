import Testing

@testable import Offers

@Suite("The newest transactions of all groups at once")
struct NewestTransactionsTests {
    @Test("are those that are found group by group", arguments: UInt64(0)..<100)
    func agrees(seed: UInt64) {
        let history = RedemptionTallyTests.generated(seed: seed)
        let app = exampleApp()
        let newest = NewestTransactions(history, of: app)
        for group in [nil] + RedemptionTallyTests.groups {
            let ofGroup = history.transactions.filter { transaction in
                guard transaction.transactionId != nil else { return false }
                return group == nil || history.groupIdentifier(of: transaction, in: app) == group
            }
            #expect(newest.identifier(inGroup: group) == ofGroup.max(by: Transaction.isOlder)?.transactionId)
        }
    }
}
