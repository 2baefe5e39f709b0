import Glibc
public import Logging
import Synchronization

/// Where log lines go, and from which level on: one for the process, shared by the handlers of all loggers.
public final class LogOutput: Sendable {
    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void
    private let current: Atomic<Int>

    /// Creates an output to standard error.
    ///
    /// - Parameters:
    ///   - format: How lines look.
    ///   - level: The least level that is written.
    public convenience init(format: LogFormat, level: Logger.Level) {
        self.init(format: format.resolved(for: STDERR_FILENO), level: level, write: Self.writeToStandardError)
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
        write(format == .text ? event.text : event.json)
    }

    /// One call of the kernel for a line, as far as it takes it whole, so that lines do not mix.
    private static func writeToStandardError(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }  // Nobody reads it: a service without a log goes on.
            rest = rest.dropFirst(count)
        }
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
