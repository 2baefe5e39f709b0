import KeptLog
import OfferService
import Offers
import Testing

@testable import OfferAPI

/// A fault has one line when it begins, and then one for all that it befalls from time to time.
@Suite struct RepeatedFaultsTests {
    private let log = KeptLog()
    private let faults: RepeatedFaults
    private let telemetry: RequestTelemetry

    init() {
        faults = RepeatedFaults(logger: log.logger)
        telemetry = RequestTelemetry(metrics: RequestMetrics(), logger: log.logger, faults: faults)
    }

    private func befall(_ code: String, _ count: Int) {
        for _ in 0..<count { telemetry.noteFault(Problem(status: 503, code: code, detail: ""), of: nil) }
    }

    /// What was logged since this was asked last.
    private var news: [String] { log.takeLines() }

    @Test func thousandsOfRequestsHaveOneLineAndThenTheirNumber() {
        befall("ledger_unavailable", 10_000)
        befall("overloaded", 1)
        #expect(news == ["cannot answer code=ledger_unavailable", "cannot answer code=overloaded"])
        faults.logCounts()
        #expect(news == ["cannot answer code=ledger_unavailable more=9999"])
        befall("ledger_unavailable", 5)
        #expect(news.isEmpty)
        faults.logCounts()
        #expect(news == ["cannot answer code=ledger_unavailable more=5"])
    }

    @Test func aFaultThatCameNotAgainBeginsAnew() {
        befall("ledger_unavailable", 1)
        faults.logCounts()
        #expect(news == ["cannot answer code=ledger_unavailable"])
        befall("ledger_unavailable", 1)
        #expect(news == ["cannot answer code=ledger_unavailable"])
    }

    @Test func whyNothingCouldBeSignedIsInTheLogAlone() {
        let failure = SigningFailure(keyIdentifier: "EXAMPLE123", detail: "EVP_PKEY_sign failed: malloc failure")
        let problem = Problem(.signing(failure), evidence: nil)
        for _ in 0..<3 { telemetry.noteFault(problem, of: nil) }
        #expect(news == ["cannot answer code=signing_failed reason=\(failure)"])
        #expect(!String(decoding: problem.json, as: UTF8.self).contains("EVP_PKEY_sign"))
    }

    @Test func whatStrangersBringHasOneLineOfEachKind() {
        let identity = RequestIdentity(RequestFields())
        for _ in 0..<30 {
            telemetry.noteTLSFailure("no shared cipher")
            for (status, code) in [(401, "unauthorized"), (404, "not_found"), (400, "malformed_http"), (nil, nil)] {
                telemetry.note(identity, route: nil, status: status, client: nil, nanoseconds: 0, code: code)
            }
        }
        telemetry.noteTLSFailure("http request")
        #expect(news.map { $0.prefix { $0 != " " } } == ["TLS", "request", "request", "request", "request", "TLS"])
        faults.logCounts()
        #expect(
            news == [
                "TLS handshake failed more=29 reason=no shared cipher",
                "requests of nobody who is known code=malformed_http more=29",
                "requests of nobody who is known more=29 status=none",
                "requests of nobody who is known code=not_found more=29",
                "requests of nobody who is known code=unauthorized more=29",
            ]
        )
    }

    @Test func aClientsRequestsHaveALineEach() {
        let client = KnownToken(client: .abc, place: 0, usage: ClientUsages().usage(of: "abc"))
        for _ in 0..<3 {
            telemetry.note(
                RequestIdentity(RequestFields()),
                route: nil,
                status: 400,
                client: client,
                nanoseconds: 0,
                code: "missing_member"
            )
        }
        #expect(news.count == 3)
    }

    @Test func aClientsFaultHasNoLine() {
        telemetry.noteFault(Problem(status: 422, code: "evidence_forged", detail: ""), of: nil)
        faults.logCounts()
        #expect(news.isEmpty)
    }
}
