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
            #expect(
                newest.identifier(inGroup: group)
                    == (ofGroup.filter(\.isOwnPurchase).max(by: Transaction.isOlder)
                    ?? ofGroup.max(by: Transaction.isOlder))?.transactionId
            )
        }
    }

    @Test("are the account's own in evidence that the sender chose, and all of one Apple Account's answer")
    func own() {
        let transactions = [
            bought("1", on: -40, by: Account.alice.payloadField, called: "10"),
            bought("2", on: -5, by: Account.bob.payloadField, called: "20"),
        ]
        let shown = history([entry("1"), entry("2")], transactions, coverage: .partial)
        #expect(NewestTransactions(shown, of: exampleApp(), for: .alice).identifier(inGroup: "pro") == "10")
        let answer = history([entry("1"), entry("2")], transactions)
        #expect(NewestTransactions(answer, of: exampleApp(), for: .alice).identifier(inGroup: "pro") == "20")
    }
}
