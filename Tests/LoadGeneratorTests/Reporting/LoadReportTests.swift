import Testing

@testable import LoadGenerator

@Suite("The report of a run")
struct LoadReportTests {
    private func report(
        generatorShare: Double = 0.1,
        rate: Double? = nil,
        _ tally: LoadTally = LoadTally(kinds: 0)
    ) throws -> LoadReport {
        var plan = LoadPlan(RequestDeck([], offersPerRequest: 1), to: try ServiceAddress("http://127.0.0.1:1"))
        plan.connections = 1
        plan.rate = rate
        let measurement = LoadMeasurement(
            plan: plan,
            tally: tally,
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

    @Test("A generator that sent late itself says how late")
    func lateness() throws {
        var tally = LoadTally(kinds: 0)
        tally.lateness.record(1_500_000_000)
        let text = try report(rate: 50, tally).text
        #expect(text.contains("WARNING: the generator sent late with a connection free: p99 1"))
    }

    @Test("A rate below one is reported unrounded")
    func smallRate() throws {
        #expect(try report(rate: 0.4).text.contains("open loop: 0.4 requests a second over 1 connection"))
    }

    @Test("Requests that a closed loop missed during a pause are put back into its corrected percentiles")
    func closedLoop() throws {
        var tally = LoadTally(kinds: 0)
        // In 10 seconds, a pause of 5 and answers within 10 ms.
        for milliseconds: Int64 in [5000] + Array(repeating: 10, count: 499) {
            tally.latency.record(milliseconds * 1_000_000)
            tally.service.record(milliseconds * 1_000_000)
            tally.ended += 1
        }
        let report = try report(tally)
        #expect(try #require(report.measured).p90 < 11)
        #expect(try #require(report.corrected).p90 > 2000)
        #expect(report.correction.contains("20.0 ms"))
    }
}
