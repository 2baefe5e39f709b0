import Glibc
import Synchronization

/// Writes lines to a file descriptor, and waits for whoever reads them only so long: a service goes on without its log.
///
/// Before each write the kernel is asked whether it would have to wait. The descriptor itself could be told never to wait,
/// but that would hold for every process that has the same pipe or terminal.
final class LineWriter: Sendable {
    /// What is known of the reader.
    private struct Reader {
        /// How many lines were not taken since the last one that was.
        var lostLines = 0
        /// Whether a line was begun that has no end.
        var isTorn = false
        /// How long it may be waited for yet.
        var patience: Duration
        /// When that was so.
        var time = ContinuousClock.now
    }

    private let descriptor: Int32
    private let patience: Duration
    private let lossNote: @Sendable (Int) -> [UInt8]
    /// How many bytes are taken without a wait where there is room at all.
    private let room: Int
    private let reader: Mutex<Reader>

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor, whose flags stay as they are.
    ///   - patience: How long a reader is waited for, altogether: a tenth of the time that has passed since is added, so
    ///     that one who is slow all the time takes no more than that from who writes.
    ///   - lossNote: The line that says how many were lost.
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

    /// Writes a line, or counts it as lost.
    ///
    /// - Parameter line: The line with its end, which goes to the kernel in one call as far as it can, so that lines do
    ///   not mix.
    func write(_ line: [UInt8]) {
        // One at a time: the room that one thread was told of would be another's.
        reader.withLock { reader in
            if reader.lostLines > 0, take(noteOfLoss(reader), &reader) { reader.lostLines = 0 }
            if reader.lostLines > 0 || !take(line, &reader) { reader.lostLines += 1 }
        }
    }

    private func noteOfLoss(_ reader: Reader) -> [UInt8] {
        (reader.isTorn ? [UInt8(ascii: "\n")] : []) + lossNote(reader.lostLines)
    }

    /// Hands bytes to the kernel.
    ///
    /// - Returns: Whether it has taken all of them.
    private func take(_ bytes: [UInt8], _ reader: inout Reader) -> Bool {
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
        // Whatever else is wrong with the descriptor, the write tells.
        return count != 0
    }
}
