import ChildProcess
import Foundation

/// The built executable, serving.
final class RunningService {
    let installation: Installation
    let server: Connection.Address
    let admin: Connection.Address
    let firstLine: String

    private let process: ChildProcess

    /// Starts the service, and waits for the line that says where it is.
    ///
    /// - Parameters:
    ///   - given: The configuration; a new one by default.
    ///   - flags: Settings from the command line.
    /// - Throws: `Failure` when it does not start.
    init(_ given: Installation? = nil, flags: [String] = []) throws {
        installation = try given ?? Installation()
        process = try ChildProcess(Executable.path, ["serve", "--config", installation.configuration] + flags)
        let deadline = Date() + 30
        var output = ""
        while !output.contains("\n"), !process.hasEnded, Date() < deadline {
            usleep(10_000)
            output = try String(contentsOf: process.outputFile, encoding: .utf8)
        }
        firstLine = output
        let addresses = output.matches(of: /http:\/\/127\.0\.0\.1:(\d+)/).compactMap { UInt16($0.1) }
        guard addresses.count == 2 else {
            let log = try String(contentsOf: process.errorFile, encoding: .utf8)
            throw Failure(text: "no addresses in \"\(output)\"; \(log)")
        }
        server = Connection.Address(port: addresses[0])
        admin = Connection.Address(port: addresses[1])
    }

    /// Everything that it has written to standard error.
    var log: String { (try? String(contentsOf: process.errorFile, encoding: .utf8)) ?? "" }

    func signal(_ signal: Int32) { process.send(signal) }

    func wait() -> Int32 { process.wait() }

    /// Asks for signatures with the client's token.
    ///
    /// - Parameter body: The body.
    /// - Returns: The response.
    /// - Throws: `Failure` when the connection fails.
    func sign(_ body: String) throws -> Response {
        try Connection(to: server).request("POST", "/v1/signatures", body: body)
    }
}
