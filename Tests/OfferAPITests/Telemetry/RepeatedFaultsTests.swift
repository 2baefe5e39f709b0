import Logging
import Synchronization
import Testing

@testable import OfferAPI

/// A fault has one line when it begins, and then one for all that it befalls from time to time.
@Suite struct RepeatedFaultsTests {
    /// Keeps what is logged.
    private final class Log: LogHandler, Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }

        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            let members = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.withLock { $0.append(([event.message.description] + members).joined(separator: " ")) }
        }
    }

    private let log = Log()
    private let telemetry: RequestTelemetry

    init() {
        telemetry = RequestTelemetry(metrics: RequestMetrics(), logger: Logger(label: "test") { [log] _ in log })
    }

    private func befall(_ code: String, _ count: Int) {
        for _ in 0..<count { telemetry.noteFault(Problem(status: 503, code: code, detail: "")) }
    }

    /// What was logged since this was asked last.
    private var news: [String] {
        log.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    @Test func thousandsOfRequestsHaveOneLineAndThenTheirNumber() {
        befall("ledger_unavailable", 10_000)
        befall("overloaded", 1)
        #expect(news == ["cannot answer code=ledger_unavailable", "cannot answer code=overloaded"])
        telemetry.faults.tellCounts()
        #expect(news == ["cannot answer code=ledger_unavailable more=9999"])
        befall("ledger_unavailable", 5)
        #expect(news.isEmpty)
        telemetry.faults.tellCounts()
        #expect(news == ["cannot answer code=ledger_unavailable more=5"])
    }

    @Test func aFaultThatCameNotAgainBeginsAnew() {
        befall("ledger_unavailable", 1)
        telemetry.faults.tellCounts()
        #expect(news == ["cannot answer code=ledger_unavailable"])
        befall("ledger_unavailable", 1)
        #expect(news == ["cannot answer code=ledger_unavailable"])
    }

    @Test func whatTheClientIsAtFaultForHasNoLine() {
        telemetry.noteFault(Problem(status: 422, code: "evidence_forged", detail: ""))
        telemetry.faults.tellCounts()
        #expect(news.isEmpty)
    }
}
