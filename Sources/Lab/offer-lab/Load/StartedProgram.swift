import Foundation

/// A program that runs beside this one, its output in files: nothing fills up while nobody reads.
///
/// Foundation starts it in a process group of its own, so that Ctrl-C ends the measurement and not what is measured.
final class StartedProgram: Sendable {
    private let program = Process()
    private let command: String
    private let output: URL
    private let errors: URL

    init(_ path: String, _ arguments: [String]) throws(OwnServiceFault) {
        command = "\(path) \(arguments.first ?? "")"
        let name = FileManager.default.temporaryDirectory.appending(path: "offer-signer-\(UUID().uuidString)")
        output = name.appendingPathExtension("out")
        errors = name.appendingPathExtension("err")
        program.executableURL = URL(filePath: path)
        program.arguments = arguments
        // Settings are not for the service of a measurement.
        program.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OFFER_SIGNER_") }
        program.standardInput = FileHandle.nullDevice
        guard access(path, X_OK) == 0 else { throw OwnServiceFault("\(path): \(String(cString: strerror(errno)))") }
        do {
            program.standardOutput = try Self.newFile(output)
            program.standardError = try Self.newFile(errors)
            try program.run()
        } catch {
            throw OwnServiceFault("\(path): \(error)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: output)
        try? FileManager.default.removeItem(at: errors)
    }

    var process: Int32 { program.processIdentifier }

    /// The first address in the line that the command prints when it accepts requests.
    func firstURL(after name: String? = nil) async throws(OwnServiceFault) -> String {
        for _ in 0..<3000 {
            let text = Self.text(of: output)
            let start = name.flatMap { text.firstRange(of: $0)?.upperBound } ?? text.startIndex
            if text.contains("\n"), let url = text[start...].firstMatch(of: /https?:\/\/[^ ,\n]+/) {
                return String(url.output)
            }
            if Task.isCancelled { throw OwnServiceFault("\(command) was not waited for") }
            if !program.isRunning { throw OwnServiceFault("\(command) ended as it started:\n\(Self.text(of: errors))") }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw OwnServiceFault("\(command) was not ready within 30 seconds:\n\(Self.text(of: errors))")
    }

    /// Asks the command to end, and waits for it: 15 seconds, then it is killed.
    func stop() {
        guard program.isRunning else { return }
        program.terminate()
        for _ in 0..<1500 {
            usleep(10_000)
            if !program.isRunning { return }
        }
        kill(process, SIGKILL)
        while program.isRunning { usleep(1000) }
    }

    /// Waits until the command ends by itself.
    func end() async throws(OwnServiceFault) -> (status: Int32, output: String, errors: String) {
        while program.isRunning {
            if Task.isCancelled {
                stop()
                throw OwnServiceFault("\(command) was not waited for")
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return (program.terminationStatus, Self.text(of: output), Self.text(of: errors))
    }

    private static func newFile(_ file: URL) throws -> FileHandle {
        try Data().write(to: file, options: .withoutOverwriting)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return try FileHandle(forWritingTo: file)
    }

    private static func text(of file: URL) -> String {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
