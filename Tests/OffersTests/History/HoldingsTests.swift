import Testing

@testable import Offers

@Suite("The subscriptions of an answer")
struct HoldingsTests {
    @Test(
        "Seats that are added within a period say nothing of it: its own purchase counts, in whatever order they come"
    )
    func addedSeats() {
        var seats = bought(on: -3, refunded: -1, called: "2")
        seats.isAddition = true
        for rows in [[bought(called: "1"), seats], [seats, bought(called: "1")]] {
            let holdings = Holdings(history([entry()], rows), of: exampleApp(), at: clock)
            #expect(holdings.all.first?.newest.map { rows[$0].transactionId } == "1")
        }
        var first = bought(called: "1")
        first.isAddition = true
        for rows in [[first, seats], [seats, first]] {
            let holdings = Holdings(history([entry()], rows), of: exampleApp(), at: clock)
            #expect(holdings.all.first?.newest.map { rows[$0].transactionId } == "1")
        }
        let alone = Holdings(history([entry()], [seats]), of: exampleApp(), at: clock)
        #expect(alone.all.first?.newest == 0)
    }
}
