import Foundation
import Testing

@testable import LogLines

@Suite("Lines to a reader that may stall", .timeLimit(.minutes(10)))
struct LineWriterTests {
    /// `F_SETPIPE_SZ` of fcntl(2), which Swift does not see.
    private static let setPipeSize: Int32 = 1031

    /// A pipe of one page.
    private let pipe = Pipe()

    private var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    init() throws { try #require(fcntl(descriptor, Self.setPipeSize, 4096) >= 0) }

    private func writer(patience: Duration = .milliseconds(1)) -> LineWriter {
        LineWriter(descriptor, patience: patience) { Array("\($0) lost\n".utf8) }
    }

    private func line(_ character: Character, _ count: Int) -> [UInt8] {
        Array(String(repeating: character, count: count).utf8) + [UInt8(ascii: "\n")]
    }

    /// Writes lines from a thread of its own, and says whether that came to an end, lest a writer that waits keeps the tests.
    private func write(_ lines: [UInt8]..., with writer: LineWriter) -> Bool {
        let written = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            for line in lines { writer.write(line) }
            written.signal()
        }
        return written.wait(timeout: .now() + 30) == .success
    }

    private func read() -> String { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }

    @Test("The writer goes on, and the first line that is taken again stands behind one that says how many are lost")
    func stalled() throws {
        let writer = writer()
        let more = line("b", 200)
        try #require(write(line("a", 4000), more, more, more, with: writer))
        #expect(read() == String(repeating: "a", count: 4000) + "\n")
        // The note takes the only page.
        try #require(write(line("c", 200), with: writer))
        #expect(read() == "3 lost\n")
        try #require(write(line("d", 200), with: writer))
        #expect(read() == "1 lost\n")
        #expect(fcntl(descriptor, Self.setPipeSize, 65536) >= 0)
        try #require(write(line("e", 3), line("f", 3), with: writer))
        #expect(read() == "1 lost\neee\nfff\n")
    }

    @Test("A line that was taken in part is lost, and the next one has a line of its own")
    func torn() throws {
        let writer = writer()
        try #require(write(line("a", 9000), line("b", 3), with: writer))
        #expect(read() == String(repeating: "a", count: 4096))
        #expect(fcntl(descriptor, Self.setPipeSize, 65536) >= 0)
        try #require(write(line("c", 3), with: writer))
        #expect(read() == "\n2 lost\nccc\n")
    }

    @Test("A late reader is waited for, and gets long lines whole")
    func late() {
        let writer = writer(patience: .seconds(50))
        let thread = Thread {
            for _ in 0..<20 { writer.write(Array(String(repeating: "a", count: 9000).utf8)) }
        }
        thread.start()
        var count = 0
        while count < 180_000 { count += read().utf8.count { $0 == UInt8(ascii: "a") } }
        #expect(count == 180_000)
    }

    @Test("The flags of the descriptor, which others have, too, stay as they are")
    func flags() throws {
        let flags = fcntl(descriptor, F_GETFL)
        let long = line("a", 4000)
        try #require(write(long, long, long, with: writer()))
        #expect(fcntl(descriptor, F_GETFL) == flags)
    }

    @Test("A file has every line, however long it is")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let writer = LineWriter(handle.fileDescriptor) { _ in [] }
        for length in [3, 300_000, 3] { writer.write(line("a", length)) }
        #expect(try Data(contentsOf: file).count == 300_009)
    }
}
