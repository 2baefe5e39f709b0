import Offers
import Testing

@Suite("The newest transactions of each group")
struct NewestTransactionsTests {
    @Test("are the customer's own first, also upgraded and refunded ones, and named ones alone")
    func ownFirst() {
        let transactions = [
            bought(on: -40, refunded: -30, called: "10"), bought(on: -20, upgraded: true, called: "11"),
            bought(on: -5, shared: true, called: "12"), bought(on: -1),
            bought("2", "news.monthly", on: -3, owner: .assigned, called: "20"),
        ]
        let newest = NewestTransactions(history([], transactions).book, of: exampleApp())
        #expect(newest.identifier(inGroup: "pro") == "11")
        #expect(newest.identifier(inGroup: "news") == "20")
        #expect(newest.identifier(inGroup: nil) == "11")
        #expect(newest.identifier(inGroup: "other") == nil)
    }

    @Test("are the account's own in evidence that the sender chose, and all of one Apple Account's answer")
    func own() {
        let transactions = [
            bought("1", on: -40, by: Account.alice.payloadField, called: "10"),
            bought("2", on: -5, by: Account.bob.payloadField, called: "20"),
        ]
        let shown = history([entry("1"), entry("2")], transactions, coverage: .partial)
        #expect(NewestTransactions(shown.book, of: exampleApp(), for: .alice).identifier(inGroup: "pro") == "10")
        let answer = history([entry("1"), entry("2")], transactions)
        #expect(NewestTransactions(answer.book, of: exampleApp(), for: .alice).identifier(inGroup: "pro") == "20")
    }
}
