import Foundation
import Testing

/// What operators see of the service, and how they reload it.
extension RunningService {
    /// What `/readyz` answers.
    func readiness() throws -> (status: Int, details: [String: Any]) {
        let response = try Connection(to: admin).request("GET", "/readyz")
        return (response.status, response.json["details"] as? [String: Any] ?? [:])
    }

    /// Waits until `/readyz` answers with a status, and returns the details.
    @discardableResult
    func waitUntilReadiness(is status: Int) throws -> [String: Any] {
        var (found, details) = try readiness()
        let isThere = try waitUntil {
            if found != status { (found, details) = try readiness() }
            return found == status
        }
        guard isThere else { throw Failure(text: "/readyz is not \(status); \(log)") }
        return details
    }

    /// Expects that `/readyz` is 503 for a fault with these words, soon.
    func expectFault(_ words: String, at place: SourceLocation = #_sourceLocation) throws {
        var faults: [String] = []
        try waitUntil(seconds: 60) {
            let (status, details) = try readiness()
            faults = status == 503 ? details["faults"] as? [String] ?? [] : []
            return faults.contains { $0.contains(words) }
        }
        #expect(faults.contains { $0.contains(words) }, "\(faults)", sourceLocation: place)
    }

    /// Sends SIGHUP, and returns the details of `/readyz` that show the outcome.
    @discardableResult
    func reload() throws -> [String: Any] {
        func count(_ details: [String: Any]) -> Int {
            let reloads = details["reloads"] as? [String: Any] ?? [:]
            return (reloads["completed"] as? Int ?? 0) + (reloads["refused"] as? Int ?? 0)
        }
        var details = try readiness().details
        let before = count(details)
        signal(SIGHUP)
        let deadline = Date() + 60
        while Date() < deadline {
            details = try readiness().details
            if count(details) > before { return details }
            usleep(2_000)
        }
        throw Failure(text: "no reload; \(log)")
    }

    /// What `/metrics` answers, by name and labels as they stand there.
    func metrics() throws -> [String: Double] {
        let response = try Connection(to: admin).request("GET", "/metrics")
        var values: [String: Double] = [:]
        for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { throw Failure(text: "no sample: \(line)") }
            values[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return values
    }
}
