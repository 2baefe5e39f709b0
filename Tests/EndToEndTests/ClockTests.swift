import Foundation
import Testing

@Suite("The service's clock")
struct ClockTests {
    /// The library of the package libfaketime, which moves the clock under a program.
    private static let library = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1" }
        .first(where: FileManager.default.fileExists)

    private func status(_ service: RunningService, until wanted: Int) throws -> (status: Int, details: [String: Any]) {
        let deadline = Date() + 20
        while true {
            let readiness = try service.readiness()
            if readiness.status == wanted || Date() > deadline { return readiness }
            usleep(100_000)
        }
    }

    @Test("No date that a client sends makes the service unready")
    func clientsDates() throws {
        let service = try RunningService()
        let future = "\((Int64(Date().timeIntervalSince1970) + 1_000_000) * 1000)"
        let past = "\((Int64(Date().timeIntervalSince1970) - 1_000_000) * 1000)"
        for date in [future, past, "\(Int64.max)", "0", "-1"] {
            let receipt =
                #"{"receipt_type":"Production","bundle_id":"com.example.reader","request_date_ms":"\#(date)"}"#
            let body = #"""
                {"applicationUsername":"a","evidence":{"receiptResponse":{"status":0,"environment":"Production",
                "receipt":\#(receipt)}},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}
                """#
            let headers = [
                "Authorization: Bearer \(Installation.token)", "Content-Type: application/json",
                "Date: Fri, 01 Jan 2100 00:00:00 GMT",
            ]
            let response = try Connection(to: service.server).request(
                "POST",
                "/v1/signatures",
                headers: headers,
                body: body
            )
            #expect(response.status < 500)
            let (status, details) = try service.readiness()
            #expect(status == 200)
            #expect((details["faults"] as? [String])?.isEmpty == true)
        }
    }

    @Test(
        "A jump of the clock makes it unready until the clock is back, or an operator reloads",
        .enabled(if: library != nil, "the package libfaketime moves the clock"),
        arguments: [-86_400, 86_400]
    )
    func jump(seconds: Int) throws {
        let installation = try Installation()
        let offset = installation.directory.path("offset")
        try installation.directory.write("offset", "+0")
        let service = try RunningService(
            installation,
            environment: [
                "LD_PRELOAD": try #require(Self.library), "FAKETIME_TIMESTAMP_FILE": offset, "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            ]
        )
        func move(_ seconds: Int) throws {
            try Data((seconds < 0 ? "\(seconds)" : "+\(seconds)").utf8).write(
                to: URL(filePath: offset),
                options: .atomic
            )
        }
        #expect(try status(service, until: 200).status == 200)
        try move(seconds)
        let (jumped, details) = try status(service, until: 503)
        #expect(jumped == 503)
        #expect((details["faults"] as? [String])?.contains { $0.hasPrefix("the clock jumped 86") } == true)
        try move(0)
        #expect(try status(service, until: 200).status == 200)
        try move(seconds)
        #expect(try status(service, until: 503).status == 503)
        try service.reload()
        #expect(try status(service, until: 200).status == 200)
    }
}
