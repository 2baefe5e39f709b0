import ChildProcess
import Foundation

/// The executables that were built together with these tests.
enum Executable {
    static let path = beside("offer-signer")
    static let lab = beside("offer-lab")

    static func beside(_ name: String) -> String {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appending(path: name).path
    }

    /// Runs a program to its end: the service's executable by default.
    static func run(
        _ arguments: [String],
        of program: String = path,
        input: Data = Data(),
        environment: [String: String] = [:]
    ) throws -> ChildProcess.Outcome {
        try ChildProcess(program, arguments, input: input, environment: environment).outcome()
    }
}
