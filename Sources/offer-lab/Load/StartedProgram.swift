import Foundation
import Synchronization

/// A program that runs beside this one.
///
/// Not Foundation's `Process`: the command is to be in a process group of its own, so that Ctrl-C ends the measurement
/// and not what is measured.
final class StartedProgram: Sendable {
    let process: pid_t

    private let command: String
    private let output: URL
    private let errors: URL
    /// The exit status, once it has ended; a signal's number from 128 on.
    private let exitStatus = Mutex<Int32?>(nil)

    /// The environment of the program: settings are not for the service of a measurement.
    private static var variables: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OFFER_SIGNER_") }
    }

    init(_ path: String, _ arguments: [String]) throws(OwnServiceFault) {
        command = "\(path) \(arguments.first ?? "")"
        let name = FileManager.default.temporaryDirectory.appending(path: "offer-signer-\(UUID().uuidString)")
        output = name.appendingPathExtension("out")
        errors = name.appendingPathExtension("err")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_EXCL
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.path, writing, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.path, writing, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)

        let variables = Self.variables
        var process: pid_t = 0
        let result = Self.withCStrings([path] + arguments) { arguments in
            Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&process, path, &actions, &attributes, arguments, variables)
            }
        }
        guard result == 0 else { throw OwnServiceFault("\(path): \(String(cString: strerror(result)))") }
        self.process = process
    }

    deinit {
        try? FileManager.default.removeItem(at: output)
        try? FileManager.default.removeItem(at: errors)
    }

    /// The first address in the line that the command prints when it accepts requests.
    func firstURL(after name: String? = nil) async throws(OwnServiceFault) -> String {
        for _ in 0..<3000 {
            let text = Self.text(of: output)
            let start = name.flatMap { text.firstRange(of: $0)?.upperBound } ?? text.startIndex
            if text.contains("\n"), let url = text[start...].firstMatch(of: /https?:\/\/[^ ,\n]+/) {
                return String(url.output)
            }
            if Task.isCancelled { throw OwnServiceFault("\(command) was not waited for") }
            if isOver() { throw OwnServiceFault("\(command) ended as it started:\n\(Self.text(of: errors))") }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw OwnServiceFault("\(command) was not ready within 30 seconds:\n\(Self.text(of: errors))")
    }

    /// Asks the command to end, and waits for it: 15 seconds, then it is killed.
    func stop() {
        guard !isOver() else { return }
        kill(process, SIGTERM)
        for _ in 0..<1500 {
            usleep(10_000)
            if isOver() { return }
        }
        kill(process, SIGKILL)
        while !isOver() { usleep(1000) }
    }

    /// Waits until the command ends by itself.
    func end() async throws(OwnServiceFault) -> (status: Int32, output: String, errors: String) {
        while !isOver() {
            if Task.isCancelled {
                stop()
                throw OwnServiceFault("\(command) was not waited for")
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return (exitStatus.withLock { $0 ?? -1 }, Self.text(of: output), Self.text(of: errors))
    }

    private func isOver() -> Bool {
        exitStatus.withLock { exitStatus in
            if exitStatus != nil { return true }
            var status: Int32 = 0
            let result = waitpid(process, &status, WNOHANG)
            if result == process {
                exitStatus = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            } else if result == -1, errno != EINTR {
                exitStatus = -1
            }
            return exitStatus != nil
        }
    }

    private static func text(of file: URL) -> String {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
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
