import ChildProcess
import Foundation

/// The executables that were built together with these tests.
enum Executable {
    /// The service's.
    static let path = beside("offer-signer")
    /// That of the stand-in App Store and the load generator.
    static let lab = beside("offer-lab")

    /// The path of a program that was built together with these tests.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The path.
    static func beside(_ name: String) -> String {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appending(path: name).path
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - program: The program; the service's executable by default.
    ///   - input: What it reads on standard input.
    ///   - environment: Variables to add to those of the tests.
    /// - Returns: Its exit status and all that it wrote.
    /// - Throws: An error when it cannot be started.
    static func run(
        _ arguments: [String],
        of program: String = path,
        input: Data = Data(),
        environment: [String: String] = [:]
    ) throws -> ChildProcess.Outcome {
        try ChildProcess(program, arguments, input: input, environment: environment).outcome()
    }
}
