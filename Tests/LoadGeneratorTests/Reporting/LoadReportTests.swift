import Testing

@testable import LoadGenerator

@Suite("The report of a run")
struct LoadReportTests {
    private func report(generatorShare: Double) throws -> LoadReport {
        let plan = LoadPlan(RequestDeck([], offersPerRequest: 1), to: try ServiceAddress("http://127.0.0.1:1"))
        let measurement = LoadMeasurement(
            plan: plan,
            tally: LoadTally(kinds: 0),
            seconds: [],
            warmUpSeconds: 0,
            elapsedSeconds: 10,
            tailSeconds: 0,
            generatorProcessorSeconds: 1,
            generatorShare: generatorShare,
            service: nil
        )
        return LoadReport(measurement, verification: nil)
    }

    @Test("A generator that had no time left says that it may have limited the result")
    func busyGenerator() throws {
        #expect(try report(generatorShare: 0.95).text.contains("WARNING: the generator used 95 %"))
        #expect(try !report(generatorShare: 0.5).text.contains("WARNING"))
    }
}
