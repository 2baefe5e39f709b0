import ChildProcess
import Foundation

/// The built executable, serving.
final class RunningService {
    let installation: Installation
    let server: Connection.Address
    let admin: Connection.Address
    /// Where Apple's notifications go; `nil` when there is no such listener.
    let notifications: Connection.Address?
    let firstLine: String

    private let process: ChildProcess

    /// Starts the service, and waits for the line that says where it is.
    ///
    /// - Parameters:
    ///   - given: The configuration; a new one by default.
    ///   - flags: Settings from the command line.
    ///   - environment: Variables to add to those of the tests.
    ///   - launcher: A program with its arguments that runs the service in its own place, such as `setpriv`.
    ///   - errors: The descriptor that is its standard error; a file by default, which `log` reads.
    /// - Throws: `Failure` when it does not start.
    init(
        _ given: Installation? = nil,
        flags: [String] = [],
        environment: [String: String] = [:],
        launcher: [String] = [],
        errors: Int32? = nil
    ) throws {
        installation = try given ?? Installation()
        let command = launcher + [Executable.path, "serve", "--config", installation.configuration] + flags
        process = try ChildProcess("/usr/bin/env", command, environment: environment, errors: errors)
        let deadline = Date() + 120
        var output = ""
        while !output.contains("\n"), !process.hasEnded, Date() < deadline {
            usleep(10_000)
            output = try String(contentsOf: process.outputFile, encoding: .utf8)
        }
        firstLine = output
        let addresses = output.matches(of: /https?:\/\/127(?:\.\d+)+:(\d+)/).compactMap { UInt16($0.1) }
        guard addresses.count >= 2 else {
            let log = try String(contentsOf: process.errorFile, encoding: .utf8)
            throw Failure(text: "no addresses in \"\(output)\"; \(log)")
        }
        server = Connection.Address(port: addresses[0])
        admin = Connection.Address(port: addresses[1])
        notifications = addresses.count == 3 ? Connection.Address(port: addresses[2]) : nil
    }

    /// Everything that it has written to standard error.
    var log: String { (try? String(contentsOf: process.errorFile, encoding: .utf8)) ?? "" }

    /// Everything that it has written to standard output.
    var output: String { (try? String(contentsOf: process.outputFile, encoding: .utf8)) ?? "" }

    /// The process, for a look at it from outside.
    var identifier: pid_t { process.identifier }

    /// What `/readyz` answers.
    ///
    /// - Returns: Its status and its details.
    /// - Throws: `Failure` when it does not answer.
    func readiness() throws -> (status: Int, details: [String: Any]) {
        let response = try Connection(to: admin).request("GET", "/readyz")
        return (response.status, response.json["details"] as? [String: Any] ?? [:])
    }

    /// Sends SIGHUP, and waits until `/readyz` shows the outcome.
    ///
    /// - Returns: The details with the outcome.
    /// - Throws: `Failure` when there is none in time.
    @discardableResult
    func reload() throws -> [String: Any] {
        func count(_ details: [String: Any]) -> Int {
            let reloads = details["reloads"] as? [String: Any] ?? [:]
            return (reloads["completed"] as? Int ?? 0) + (reloads["refused"] as? Int ?? 0)
        }
        let before = count(try readiness().details)
        signal(SIGHUP)
        let deadline = Date() + 60
        while Date() < deadline {
            let details = try readiness().details
            if count(details) > before { return details }
            usleep(2_000)
        }
        throw Failure(text: "no reload; \(log)")
    }

    func signal(_ signal: Int32) { process.send(signal) }

    func wait() -> Int32 { process.wait() }

    /// Waits for the service to end, but not for one that may never do so.
    ///
    /// - Parameter seconds: How long at most.
    /// - Returns: Its exit status; `nil` when it is still there.
    func wait(atMost seconds: Int) -> Int32? {
        for _ in 0..<(seconds * 100) where !process.hasEnded { usleep(10_000) }
        return process.hasEnded ? process.wait() : nil
    }

    /// Asks for signatures with the client's token.
    ///
    /// - Parameter body: The body.
    /// - Returns: The response.
    /// - Throws: `Failure` when the connection fails.
    func sign(_ body: String) throws -> Response { try ask("/v1/signatures", body) }

    /// Sends a POST with the client's token.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - body: The body.
    /// - Returns: The response.
    /// - Throws: `Failure` when the connection fails.
    func ask(_ path: String, _ body: String) throws -> Response {
        try Connection(to: server).request("POST", path, body: body)
    }
}
