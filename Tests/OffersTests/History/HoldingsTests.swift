import Testing

@testable import Offers

@Suite("The subscriptions of an answer")
struct HoldingsTests {
    private func newest(_ rows: [Transaction]) -> String? {
        let shown = history([entry()], rows).book
        return Subscriptions(shown, of: exampleApp(), at: clock).all.first?.transaction?.transactionId
    }

    @Test(
        "Seats that are added within a period say nothing of it: its own purchase counts, in whatever order they come"
    )
    func addedSeats() {
        var seats = bought(on: -3, refunded: -1, called: "2")
        seats.isAddition = true
        for rows in [[bought(called: "1"), seats], [seats, bought(called: "1")]] {
            #expect(newest(rows) == "1")
        }
        var first = bought(called: "1")
        first.isAddition = true
        for rows in [[first, seats], [seats, first]] {
            #expect(newest(rows) == "1")
        }
        #expect(newest([seats]) == "2")
    }
}
