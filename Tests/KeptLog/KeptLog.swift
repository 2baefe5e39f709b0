public import Logging
import Synchronization

/// Keeps what is logged, at every level: each line with its message and then its metadata, by name.
public final class KeptLog: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    /// Creates a log without lines.
    public init() {}

    /// Writes here.
    public var logger: Logger { Logger(label: "test") { _ in self } }

    /// Always empty: only the metadata of each line is kept.
    public var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    /// Nothing is left out.
    public var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    /// As for `metadata`.
    public subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    /// Keeps a line.
    public func log(event: LogEvent) {
        let members = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.withLock { $0.append(([event.message.description] + members).joined(separator: " ")) }
    }

    /// Hands out the lines since this was called last.
    ///
    /// - Returns: The lines, in their order.
    public func takeLines() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
