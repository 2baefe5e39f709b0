package import Foundation
import Glibc
import Synchronization

/// A program that the tests run beside them.
///
/// Not Foundation's `Process`: that one hands its descriptors on to every other child, and notices the end of one only
/// when the others have ended too. With tests that wait for one another's children, nothing would end then.
package final class ChildProcess: Sendable {
    /// The exit status, 128 and more for the signal that ended it, and all that was written.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: Data
        package let errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    package let identifier: pid_t
    package let outputFile: URL
    package let errorFile: URL

    private let directory: URL
    private let status = Mutex<Int32?>(nil)

    /// Adds to the environment of the tests, and leads standard error to a descriptor, or by default to a file.
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
        if !hasEnded {
            kill(identifier, SIGKILL)
            _ = wait()
        }
        try? FileManager.default.removeItem(at: directory)
    }

    package var hasEnded: Bool { reap(WNOHANG) != nil }

    package func send(_ signal: Int32) { kill(identifier, signal) }

    /// Waits for the end, and returns the exit status; 128 and more for the signal that ended the program.
    package func wait() -> Int32 {
        while true { if let status = reap(0) { return status } }
    }

    /// Waits for the end.
    package func outcome() throws -> Outcome {
        let status = wait()
        return Outcome(
            status: status,
            output: try Data(contentsOf: outputFile),
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
        )
    }

    private func reap(_ options: Int32) -> Int32? {
        status.withLock { status in
            guard status == nil else { return status }
            var word: Int32 = 0
            let result = waitpid(identifier, &word, options)
            if result == identifier {
                status = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
            } else if result == -1, errno != EINTR {
                status = -1
            }
            return status
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

/// Names the program that could not be started, and why.
package struct ChildProcessError: Error, CustomStringConvertible { package let description: String }
