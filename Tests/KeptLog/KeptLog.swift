package import Logging
import Synchronization

/// Keeps what is logged, at every level.
package final class KeptLog: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])
    private let line: @Sendable (LogEvent) -> String

    /// Keeps that of an event; by default its message, and then its metadata by name.
    package init(_ line: @escaping @Sendable (LogEvent) -> String = KeptLog.messageAndMetadata) { self.line = line }

    package static func messageAndMetadata(_ event: LogEvent) -> String {
        let members = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ([event.message.description] + members).joined(separator: " ")
    }

    package var logger: Logger { Logger(label: "test") { _ in self } }

    /// Always empty: only the metadata of each line is kept.
    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    package subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        let line = line(event)
        lines.withLock { $0.append(line) }
    }

    /// The lines since this was called last.
    package func takeLines() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
