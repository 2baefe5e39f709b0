import ChildProcess
import Foundation
import Testing

/// The built executable, serving.
final class RunningService: Sendable {
    let installation: Installation
    let server: Connection.Address
    let admin: Connection.Address
    /// Where Apple's notifications go; `nil` when there is no such listener.
    let notifications: Connection.Address?
    let firstLine: String

    private let process: ChildProcess

    /// Starts the service with a new configuration by default, and waits for the line that says where it is.
    ///
    /// The launcher is a program with its arguments that runs the service in its own place, such as `setpriv`. Standard
    /// error is a descriptor, or by default a file, which `log` reads.
    init(
        _ given: Installation? = nil,
        flags: [String] = [],
        environment: [String: String] = [:],
        launcher: [String] = [],
        errors: Int32? = nil
    ) throws {
        installation = try given ?? Installation()
        let command = launcher + [Executable.path, "serve", "--config", installation.configuration] + flags
        let process = try ChildProcess("/usr/bin/env", command, environment: environment, errors: errors)
        self.process = process
        var output = ""
        try waitUntil(seconds: 120) {
            output = try String(contentsOf: process.outputFile, encoding: .utf8)
            return output.contains("\n") || process.hasEnded
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

    var identifier: pid_t { process.identifier }

    func signal(_ signal: Int32) { process.send(signal) }

    func wait() -> Int32 { process.wait() }

    /// Waits for the end of a service that may stay for ever, which is `nil`.
    func wait(atMost seconds: Int) -> Int32? {
        for _ in 0..<(seconds * 100) where !process.hasEnded { usleep(10_000) }
        return process.hasEnded ? process.wait() : nil
    }

    /// Stops it, which has to end well.
    func stop(at place: SourceLocation = #_sourceLocation) {
        signal(SIGTERM)
        #expect(wait() == 0, sourceLocation: place)
    }

    /// Ends it at once, as a crash does.
    func kill() {
        signal(SIGKILL)
        _ = wait()
    }

    /// Asks for signatures with the client's token.
    func sign(_ body: String) throws -> Response { try ask("/v1/signatures", body) }

    /// Sends a POST with the client's token.
    func ask(_ path: String, _ body: String) throws -> Response {
        try Connection(to: server).request("POST", path, body: body)
    }
}

/// Waits until something has happened, and not for ever.
@discardableResult
func waitUntil(seconds: Int = 30, _ hasHappened: () throws -> Bool) rethrows -> Bool {
    let deadline = Date() + Double(seconds)
    while try !hasHappened() {
        guard Date() < deadline else { return false }
        usleep(10_000)
    }
    return true
}
