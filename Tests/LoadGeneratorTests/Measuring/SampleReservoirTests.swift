import Testing

@testable import LoadGenerator

@Suite("The answers that are kept")
struct SampleReservoirTests {
    private func kept(_ capacity: Int?, of number: Int) -> [Int] {
        var reservoir = SampleReservoir(capacity: capacity, seed: 1)
        for place in (0..<number).map({ RequestDeck.Place(kind: 0, number: $0) }) {
            reservoir.offer { AnswerSample(request: place, body: []) }
        }
        return reservoir.samples.map(\.request.number)
    }

    @Test("They are as many as wanted, from the whole run, and each once")
    func sample() {
        let sample = kept(100, of: 10_000)
        #expect(sample.count == 100)
        #expect(Set(sample).count == 100)
        // Of each tenth of the run, ten are to be expected.
        for tenth in 0..<10 { #expect(sample.contains { $0 / 1000 == tenth }) }
    }

    @Test("They are all, where all are wanted or there are not more")
    func all() {
        #expect(kept(nil, of: 500) == Array(0..<500))
        #expect(kept(500, of: 20) == Array(0..<20))
    }
}
