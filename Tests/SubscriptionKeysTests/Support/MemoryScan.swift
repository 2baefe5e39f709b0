import Foundation
import ProcessMemory
import Synchronization

/// Looks for a key in another process, each time that one says it has reached a stage.
///
/// The two meet by files in a directory. The scan has a thread of its own, as waiting for the other process
/// takes the threads of the tests.
final class MemoryScan: Sendable {
    /// How many pieces of the key were found, in the locked mappings and in all others that can be written.
    struct Count {
        let locked: Int
        let elsewhere: Int
    }

    private static let patience: TimeInterval = 60

    private let outcome = Mutex<Result<[Count], any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(of key: TestKey, directory: String, stages: [String]) {
        let patterns = KeyPatterns(der: key.der).all
        Thread.detachNewThread { [self] in
            let result = Result { try stages.map { try Self.count(patterns, at: $0, in: directory) } }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
    }

    /// What was found at each stage.
    func result() throws -> [Count] {
        isDone.wait()
        return try outcome.withLock { try $0?.get() } ?? []
    }

    /// Says that a stage is reached, and waits until the other process has looked.
    static func reach(_ stage: String, in directory: String) throws {
        try Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(stage)"), options: .atomic)
        while FileManager.default.fileExists(atPath: "\(directory)/\(stage)") { usleep(10_000) }
    }

    private static func count(_ patterns: [[UInt8]], at stage: String, in directory: String) throws -> Count {
        let file = "\(directory)/\(stage)"
        let deadline = Date(timeIntervalSinceNow: patience)
        while !FileManager.default.fileExists(atPath: file) {
            guard Date() < deadline else { throw Tool.Failure(description: "the process never reached \(stage)") }
            usleep(10_000)
        }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let process = try pid_t(String(contentsOfFile: file, encoding: .utf8)) ?? 0
        let memory = try ProcessMemory(of: process)
        try memory.findPlantedSecrets()
        return try Count(
            locked: memory.count(of: patterns, locked: true),
            elsewhere: memory.count(of: patterns, locked: false)
        )
    }
}
