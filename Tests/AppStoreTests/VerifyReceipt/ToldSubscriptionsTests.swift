import Offers
import Testing

@testable import AppStore

@Suite("What latest_receipt_info tells")
struct ToldSubscriptionsTests {
    private func transaction(_ number: Int, of subscription: Int, doesExpire: Bool = true) -> Transaction {
        Transaction(
            originalTransactionId: "\(subscription)",
            productId: "pro",
            expiresDate: doesExpire ? Timestamp(millisecondsSince1970: Int64(number)) : nil
        )
    }

    @Test("Few transactions and many are looked through alike", arguments: [1, 2, 15, 16, 17, 40])
    func anyNumber(count: Int) {
        let listed = (0..<count).map { transaction($0, of: $0 % 3, doesExpire: $0 % 5 != 0) }
        let told = ToldSubscriptions(listed)
        for subscription in 0...4 {
            for number in 0...(count + 1) {
                let other = transaction(number, of: subscription)
                let isListed = number < count && number % 3 == subscription && number % 5 != 0
                let isTold = subscription < min(3, count)
                #expect(told.hasSubscription(of: other) == isTold)
                #expect(told.lacksPeriod(of: other) == (isTold && !isListed))
            }
            #expect(!told.lacksPeriod(of: transaction(0, of: subscription, doesExpire: false)))
        }
    }
}
