import ChildProcess
import Foundation

/// The executable that was built together with these tests.
enum Executable {
    static let path = URL(filePath: ProcessInfo.processInfo.arguments[0])
        .deletingLastPathComponent().appending(path: "offer-signer").path

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - program: The program; the service's executable by default.
    ///   - input: What it reads on standard input.
    /// - Returns: Its exit status and all that it wrote.
    /// - Throws: An error when it cannot be started.
    static func run(
        _ arguments: [String],
        of program: String = path,
        input: Data = Data()
    ) throws -> ChildProcess.Outcome {
        try ChildProcess(program, arguments, input: input).outcome()
    }
}
