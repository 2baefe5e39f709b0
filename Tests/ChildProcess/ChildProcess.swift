package import Foundation
import Glibc

/// A program that the tests run beside them.
///
/// Not Foundation's `Process`: that one hands its descriptors on to every other child, and notices the end of one only
/// when the others have ended too. With tests that wait for one another's children, nothing would end then.
package final class ChildProcess {
    /// What a finished program left behind.
    package struct Outcome: Sendable {
        /// Its exit status; 128 and more for the signal that ended it.
        package let status: Int32
        /// What it wrote to standard output.
        package let output: Data
        /// What it wrote to standard error.
        package let errors: String

        /// What it wrote to standard output, as text.
        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The process's identifier.
    package let identifier: pid_t
    /// Where its standard output goes.
    package let outputFile: URL
    /// Where its standard error goes.
    package let errorFile: URL

    private let directory: URL
    private var status: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Its arguments.
    ///   - input: What it reads on standard input.
    ///   - environment: Variables to add to those of the tests.
    ///   - errors: The descriptor that is its standard error; a file of its own by default.
    /// - Throws: `ChildProcessError` when it cannot be started.
    package init(
        _ path: String,
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String] = [:],
        errors: Int32? = nil
    ) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        outputFile = directory.appending(path: "output")
        errorFile = directory.appending(path: "errors")
        let inputFile = directory.appending(path: "input")
        try input.write(to: inputFile)

        // Files, not pipes: nothing fills up while nobody reads.
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, inputFile.path, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputFile.path, writing, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorFile.path, writing, 0o600)
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // A connection that a test closes would stay open as long as the program that began meanwhile.
        for descriptor in (STDERR_FILENO + 1)..<min(1024, Int32(sysconf(Int32(_SC_OPEN_MAX)))) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        var pid: pid_t = 0
        let result = Self.withCStrings([path] + arguments) { arguments in
            Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&pid, path, &actions, nil, arguments, variables)
            }
        }
        guard result == 0 else { throw ChildProcessError(description: "\(path): \(String(cString: strerror(result)))") }
        identifier = pid
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            _ = wait()
        }
        try? FileManager.default.removeItem(at: directory)
    }

    /// Whether the program has ended.
    package var hasEnded: Bool {
        if status == nil { reap(WNOHANG) }
        return status != nil
    }

    /// Sends the program a signal.
    ///
    /// - Parameter signal: The signal's number.
    package func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// Waits for the program to end.
    ///
    /// - Returns: Its exit status; 128 and more for the signal that ended it.
    package func wait() -> Int32 {
        while status == nil { reap(0) }
        return status ?? -1
    }

    /// Waits for the program to end, and collects what it wrote.
    ///
    /// - Returns: What it left behind.
    /// - Throws: The error of reading what it wrote.
    package func outcome() throws -> Outcome {
        let status = wait()
        return Outcome(
            status: status,
            output: try Data(contentsOf: outputFile),
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
        )
    }

    private func reap(_ options: Int32) {
        var word: Int32 = 0
        let result = waitpid(identifier, &word, options)
        if result == identifier {
            status = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
        } else if result == -1, errno != EINTR {
            status = -1
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// A program could not be started.
package struct ChildProcessError: Error, CustomStringConvertible {
    /// Which one, and why.
    package let description: String
}
