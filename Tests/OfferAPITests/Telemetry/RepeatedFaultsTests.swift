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

    private func befall(_ code: String, _ count: Int, status: Int = 503, at second: Int = 0) {
        for _ in 0..<count { faults.logRefusal(status, code, [:], at: .seconds(second)) }
    }

    /// What was logged since this was asked last.
    private var news: [String] { log.takeLines() }

    @Test func ofEachCodeTenRefusalsASecondHaveALineAndTheNextTheNumberOfTheOthers() {
        befall("ledger_unavailable", 10_000)
        befall("missing_member", 1, status: 400)
        let fault = "cannot answer code=ledger_unavailable"
        #expect(news == Array(repeating: fault + " status=503", count: 10) + ["refused code=missing_member status=400"])
        befall("ledger_unavailable", 2, at: 1)
        #expect(news == [fault + " leftOut=9990 status=503", fault + " status=503"])
        befall("ledger_unavailable", 11, at: 2)
        #expect(news.count == 10)
        faults.logCounts()
        #expect(news == [fault + " leftOut=1 status=503"])
        faults.logCounts()
        #expect(news.isEmpty)
    }

    @Test func whyNothingCouldBeSignedIsInTheLogAlone() {
        let failure = SigningFailure(keyIdentifier: "EXAMPLE123", detail: "EVP_PKEY_sign failed: malloc failure")
        let problem = Problem(.signing(failure), evidence: nil)
        refuse(problem.status, problem.code, problem.reason)
        let line = news.first ?? ""
        #expect(line.hasPrefix("cannot answer") && line.contains("reason=\(failure)"), "\(line)")
        #expect(!String(decoding: problem.json, as: UTF8.self).contains("EVP_PKEY_sign"))
    }

    private func refuse(_ status: Int, _ code: String, _ reason: String? = nil) {
        let client = KnownToken(client: .abc, place: 0, usage: ClientUsages().usage(of: "abc"))
        let identity = RequestIdentity(RequestFields())
        telemetry.record(
            identity,
            route: "/v1/signatures",
            status: status,
            client: client,
            nanoseconds: 0,
            code: code,
            reason: reason,
            peer: "10.0.0.1"
        )
    }

    @Test func aClientsRefusalSaysWhoAndWhere() {
        refuse(400, "missing_member")
        let line = "refused client=abc code=missing_member peer=10.0.0.1 route=/v1/signatures status=400"
        #expect(news.contains(line))
    }

    @Test func whatStrangersBringHasOneLineOfEachKind() {
        let identity = RequestIdentity(RequestFields())
        for _ in 0..<30 {
            telemetry.recordTLSFailure("no shared cipher")
            for (status, code) in [(401, "unauthorized"), (404, "not_found"), (400, "malformed_http"), (nil, nil)] {
                telemetry.record(identity, route: nil, status: status, client: nil, nanoseconds: 0, code: code)
            }
        }
        telemetry.recordTLSFailure("http request")
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
}
