import FoundationEssentials
import Glibc
public import Logging
import Synchronization

/// Where log lines go, and from which level on: one for the process, shared by the handlers of all loggers.
public final class LogOutput: Sendable {
    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void
    private let current: Atomic<Int>

    /// Creates an output to standard error; where nobody reads that for a second, lines are lost, and their number is told
    /// once somebody does.
    ///
    /// - Parameters:
    ///   - format: How lines look.
    ///   - level: The least level that is written.
    public convenience init(format: LogFormat, level: Logger.Level) {
        let format = format.resolved(for: STDERR_FILENO)
        let writer = LineWriter(STDERR_FILENO) { Self.bytes(of: .loss(of: $0), as: format) }
        self.init(format: format, level: level, write: writer.write)
    }

    init(format: LogFormat, level: Logger.Level, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
        self.write = write
        current = Atomic(level.rank)
    }

    /// The least level that is written, of loggers that have no level of their own; it can change at any time.
    public var level: Logger.Level {
        get {
            let rank = current.load(ordering: .relaxed)
            return Logger.Level.allCases.first { $0.rank == rank } ?? .notice
        }
        set { current.store(newValue.rank, ordering: .relaxed) }
    }

    /// A handler that writes here, for `LoggingSystem.bootstrap`.
    ///
    /// - Parameters:
    ///   - label: The logger's label.
    ///   - metadataProvider: What is added to every line.
    /// - Returns: The handler.
    public func handler(label: String, metadataProvider: Logger.MetadataProvider?) -> any LogHandler {
        LineLogHandler(label: label, output: self, metadataProvider: metadataProvider)
    }

    /// Writes an event as one line.
    ///
    /// - Parameter event: The event.
    func write(_ event: LogLine) {
        write(Self.bytes(of: event, as: format))
    }

    /// Writes what is no event, such as why the process ends, as it is.
    ///
    /// - Parameter text: The text, without its newline.
    public func say(_ text: String) {
        write(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    private static func bytes(of event: LogLine, as format: LogFormat) -> [UInt8] {
        format == .text ? event.text : event.json
    }
}

extension LogLine {
    /// Says that lines are missing.
    ///
    /// - Parameter count: How many.
    /// - Returns: The line.
    fileprivate static func loss(of count: Int) -> LogLine {
        LogLine(
            time: .now,
            level: .warning,
            label: "offer-signer",
            message: (count == 1 ? "1 line of the log was lost here" : "\(count) lines of the log were lost here")
                + ": what reads standard error did not take them in time; it has to read faster, or log.level to be higher",
            metadata: []
        )
    }
}

extension Logger.Level {
    /// The place of the level in order, the least first.
    fileprivate var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        }
    }
}
