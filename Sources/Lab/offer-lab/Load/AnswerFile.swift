import ArgumentParser
import Foundation
import Glibc
import Synchronization

/// The file to which each answer of a run is written as it comes.
final class AnswerFile: Sendable {
    private struct State {
        let file: FileHandle
        /// Why nothing more is written.
        var fault: String?
    }

    private let name: String
    private let state: Mutex<State>

    /// Opens the file; what it held is gone.
    ///
    /// A failure is said before it is thrown.
    init(_ name: String) throws(ExitCode) {
        let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(name, String(cString: strerror(errno))) }
        self.name = name
        state = Mutex(State(file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)))
    }

    /// Writes a line; none after one that could not be written.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            guard state.fault == nil else { return }
            do {
                try state.file.write(contentsOf: Data(line))
            } catch {
                state.fault = "\(error)"
            }
        }
    }

    /// Fails, and says so, where not all was written.
    func end() throws(ExitCode) {
        if let fault = state.withLock(\.fault) { throw Self.failure(name, fault) }
    }

    private static func failure(_ name: String, _ fault: String) -> ExitCode {
        Console.message("error: \(name) cannot be written: \(fault)")
        return .failure
    }
}
