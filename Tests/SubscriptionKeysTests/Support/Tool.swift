import ChildProcess

/// A command line tool: the outside judge of what this module does.
enum Tool {
    struct Result {
        let status: Int32
        let output: [UInt8]
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs `openssl`, and throws when it fails.
    static func openssl(_ arguments: String...) throws -> [UInt8] { try openssl(arguments) }

    static func openssl(_ arguments: [String]) throws -> [UInt8] {
        let result = try run("openssl", arguments)
        guard result.status == 0 else {
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(result.errors)")
        }
        return result.output
    }

    /// Runs a tool to its end, with nothing on its standard input.
    static func run(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let outcome = try ChildProcess("/usr/bin/env", [tool] + arguments, environment: environment).outcome()
        return Result(status: outcome.status, output: Array(outcome.output), errors: outcome.errors)
    }
}
