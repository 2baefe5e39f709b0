import Testing

@testable import OfferAPI

@Suite("How much may wait")
struct AdmissionTests {
    private let admission = Admission(maximumOffers: 5, maximumElsewhere: 2)

    private func enter(_ places: Admission.Place...) -> [Bool] { places.map(admission.enter) }

    @Test("So many offers may wait for the ledger, and the next are refused until some have left")
    func offers() {
        #expect(enter(.ledger(offers: 3), .ledger(offers: 2), .ledger(offers: 1)) == [true, true, false])
        #expect(!admission.hasRoom(isForSignatures: true))
        admission.leave(.ledger(offers: 2))
        #expect(admission.hasRoom(isForSignatures: true))
        #expect(enter(.ledger(offers: 3), .ledger(offers: 2)) == [false, true])
    }

    @Test("A request larger than the queue is taken while the queue is empty")
    func large() {
        #expect(enter(.ledger(offers: 100), .ledger(offers: 1)) == [true, false])
        admission.leave(.ledger(offers: 100))
        #expect(enter(.ledger(offers: 1)) == [true])
    }

    @Test("A ledger that is slow keeps out signatures, and no question that needs none")
    func slowLedger() {
        #expect(enter(.ledger(offers: 5)) == [true])
        #expect(enter(.turn(isForSignatures: true), .turn(isForSignatures: false)) == [false, true])
    }

    @Test("Requests that wait for their turn are bounded, too")
    func turns() {
        for _ in 0..<5 { #expect(enter(.turn(isForSignatures: false)) == [true]) }
        #expect(enter(.turn(isForSignatures: false), .turn(isForSignatures: true)) == [false, false])
        admission.leave(.turn(isForSignatures: false))
        #expect(enter(.turn(isForSignatures: true)) == [true])
    }

    @Test(
        "Requests that wait for the App Store take no place in the queue, have a bound of their own, and are recorded"
    )
    func elsewhere() {
        #expect(enter(.elsewhere, .elsewhere, .elsewhere) == [true, true, false])
        #expect(enter(.ledger(offers: 5), .ledgerAfterWait(offers: 1)) == [true, true])
        #expect(enter(.ledger(offers: 1)) == [false])
    }
}
