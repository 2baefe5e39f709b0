import FoundationEssentials
import Glibc
package import Logging
import Synchronization

/// Where log lines go, and from which level on: one for the process, shared by the handlers of all loggers.
package final class LogOutput: Sendable {
    private let format: LogFormat
    /// Whether somebody chose the format: then texts that are no events are of it, too.
    private let isChosen: Bool
    private let write: @Sendable ([UInt8]) -> Void
    private let current: Atomic<Int>

    /// An output to standard error; if nobody reads that for a second, lines are lost, and their number is written once
    /// somebody does.
    package convenience init(format: LogFormat, level: Logger.Level = .notice) {
        let resolved = format.resolved(for: STDERR_FILENO)
        let writer = LineWriter(STDERR_FILENO) { Self.bytes(of: .loss(of: $0), as: resolved) }
        self.init(format: resolved, isChosen: format != .auto, level: level, write: writer.write)
    }

    init(
        format: LogFormat,
        isChosen: Bool = false,
        level: Logger.Level,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.format = format
        self.isChosen = isChosen
        self.write = write
        current = Atomic(level.place)
    }

    /// The least level that is written, of loggers that have no level of their own; it can change at any time.
    package var level: Logger.Level {
        get { Logger.Level.allCases[current.load(ordering: .relaxed)] }
        set { current.store(newValue.place, ordering: .relaxed) }
    }

    package func handler(label: String, metadataProvider: Logger.MetadataProvider?) -> any LogHandler {
        LineLogHandler(label: label, output: self, metadataProvider: metadataProvider)
    }

    func write(_ event: LogLine) {
        write(Self.bytes(of: event, as: format))
    }

    /// Writes a text that is no event, such as why the process ends: as it is, unless the format was chosen.
    package func say(_ text: String) { write(line(text)) }

    /// The line of a text that is no event; `error: ` and `warning: ` before it are its level in a chosen format.
    package func line(_ text: String, metadata: Logger.Metadata = [:]) -> [UInt8] {
        guard isChosen else { return Array(text.utf8) + [UInt8(ascii: "\n")] }
        let levels: [(String, Logger.Level)] = [("error: ", .error), ("warning: ", .warning), ("", .notice)]
        let (beginning, level) = levels.first { text.hasPrefix($0.0) } ?? ("", .notice)
        let line = LogLine(
            time: .now,
            level: level,
            label: "offer-signer",
            message: String(text.dropFirst(beginning.count)),
            metadata: metadata.sorted { $0.key < $1.key }
        )
        return Self.bytes(of: line, as: format)
    }

    private static func bytes(of event: LogLine, as format: LogFormat) -> [UInt8] {
        format == .text ? event.text : event.json
    }
}

extension LogLine {
    /// Says that lines are missing.
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
    /// The place of the level among all.
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Writes lines to a file descriptor, and waits only so long for a reader: a service goes on without its log.
///
/// Before each write the kernel is asked whether it would have to wait. The descriptor could be set never to wait, but
/// that would hold for every process that has the same pipe or terminal.
final class LineWriter: Sendable {
    private struct Reader {
        /// How many lines were not taken since the last one that was.
        var lostLines = 0
        /// Whether a line was begun that has no end.
        var isTorn = false
        /// How long it may be waited for yet.
        var patience: Duration
        var time = ContinuousClock.now
    }

    private let descriptor: Int32
    private let patience: Duration
    private let lossNote: @Sendable (Int) -> [UInt8]
    /// How many bytes are taken without a wait where there is room at all.
    private let room: Int
    private let reader: Mutex<Reader>

    init(_ descriptor: Int32, patience: Duration = .seconds(1), lossNote: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.patience = patience
        self.lossNote = lossNote
        var status = stat()
        // A file is never waited for, and has a line whole, however long that is.
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        room = isFile ? .max : Int(PIPE_BUF)
        reader = Mutex(Reader(patience: patience))
    }

    /// Writes a line with its end, or counts it as lost.
    ///
    /// It goes to the kernel in one call as far as it can, so that lines do not mix.
    func write(_ line: [UInt8]) {
        // One at a time: the room that one thread has found would be another's.
        reader.withLock { reader in
            if reader.lostLines > 0, write(lossLine(reader), &reader) { reader.lostLines = 0 }
            if reader.lostLines > 0 || !write(line, &reader) { reader.lostLines += 1 }
        }
    }

    private func lossLine(_ reader: Reader) -> [UInt8] {
        (reader.isTorn ? [UInt8(ascii: "\n")] : []) + lossNote(reader.lostLines)
    }

    private func write(_ bytes: [UInt8], _ reader: inout Reader) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty, hasRoom(&reader) {
            let count = rest.prefix(room).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        if rest.count < bytes.count { reader.isTorn = !rest.isEmpty }
        return rest.isEmpty
    }

    /// Whether a write does not have to wait, by now or in a while; nobody is waited for who has lost lines already.
    private func hasRoom(_ reader: inout Reader) -> Bool {
        if hasRoom(within: .zero) { return true }
        guard reader.lostLines == 0 else { return false }
        let start = ContinuousClock.now
        reader.patience = min(patience, reader.patience + (start - reader.time) / 10)
        let hasRoom = hasRoom(within: reader.patience)
        reader.time = .now
        reader.patience -= reader.time - start
        return hasRoom
    }

    private func hasRoom(within patience: Duration) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count = poll(&question, 1, 0)
        guard count == 0, patience > .zero else { return count != 0 }
        let end = ContinuousClock.now + patience
        repeat {
            let left = max(.zero, end - .now).components
            // Rounded up, lest the last piece of a millisecond is waited for in circles.
            count = poll(&question, 1, Int32(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
        } while count < 0 && errno == EINTR
        // Any other fault of the descriptor is the write's to report.
        return count != 0
    }
}
