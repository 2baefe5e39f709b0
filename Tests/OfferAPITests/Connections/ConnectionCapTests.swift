import Testing

@testable import OfferAPI

@Suite("Connections beyond the limit")
struct ConnectionCapTests {
    @Test(
        "A few more are taken, to be refused, and the rest wait for others to close",
        arguments: [(3, 16), (800, 100)]
    )
    func excess(limit: Int, more: Int) {
        let census = ConnectionCensus()
        let cap = ConnectionCap(census: census, maximumConnections: limit)
        for _ in 0..<(limit + more) {
            #expect(cap.isAcceptingNewConnections())
            _ = census.connectionOpened()
        }
        #expect(!cap.isAcceptingNewConnections())
        census.connectionClosed()
        #expect(cap.isAcceptingNewConnections())
    }
}
