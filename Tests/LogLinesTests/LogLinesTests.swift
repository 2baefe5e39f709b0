import Foundation
import Logging
import Synchronization
import Testing

@testable import LogLines

@Suite("Log lines")
struct LogLinesTests {
    private final class Lines: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
        func append(_ line: [UInt8]) { bytes.withLock { $0 += line } }
    }

    private let lines = Lines()

    private func logger(_ format: LogFormat, provider: Logger.MetadataProvider? = nil) -> (Logger, LogOutput) {
        let output = LogOutput(format: format, level: .notice) { [lines] in lines.append($0) }
        return (Logger(label: "test") { output.handler(label: $0, metadataProvider: provider) }, output)
    }

    private func objects() throws -> [[String: Any]] {
        try lines.text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("each event is one JSON object on one line, with any text in it")
    func json() throws {
        let (logger, _) = logger(.json, provider: Logger.MetadataProvider { ["requestId": "r1", "code": "provided"] })
        logger.error(
            "first\nsecond \"third\" \u{1B}[31m",
            metadata: [
                "code": "own", "level": "none", "list": ["a", "b"], "map": ["x": "\u{2028}"],
                "number": .stringConvertible(42),
            ]
        )
        #expect(lines.text.filter { $0 == "\n" }.count == 1)
        let line = try #require(try objects().first)
        #expect(line["level"] as? String == "error")
        #expect(line["logger"] as? String == "test")
        #expect(line["message"] as? String == "first\nsecond \"third\" \u{1B}[31m")
        #expect(line["requestId"] as? String == "r1")
        #expect(line["code"] as? String == "own")
        #expect(line["metadata.level"] as? String == "none")
        #expect(line["number"] as? Int == 42)
        #expect(line["list"] as? [String] == ["a", "b"])
        #expect(line["map"] as? [String: String] == ["x": "\u{2028}"])
        let time = try #require(line["time"] as? String)
        let date = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(date.timeIntervalSinceNow) < 600)
    }

    @Test("text is one line without control characters, with values that can be distinguished")
    func text() throws {
        let (logger, _) = logger(.text)
        logger.warning("a\nb\u{1B}[2J", metadata: ["plain": "x", "spaced": "two words", "quoted": "a\"b", "empty": ""])
        let line = try #require(lines.text.split(separator: "\n", omittingEmptySubsequences: false).first)
        #expect(lines.text == line + "\n")
        #expect(line.hasSuffix(#" warning test: a\u{a}b\u{1b}[2J empty="" plain=x quoted="a\"b" spaced="two words""#))
    }

    @Test("the level can change at any time; a logger's own level holds")
    func levels() throws {
        let (shared, output) = logger(.json)
        var own = shared
        own.logLevel = .critical
        shared.info("1")
        output.level = .info
        shared.info("2")
        shared.debug("3")
        own.error("4")
        output.level = .error
        shared.warning("5")
        own.critical("6")
        #expect(try objects().map { $0["message"] as? String } == ["2", "6"])
    }

    @Test("automatic is JSON where no terminal is")
    func automatic() throws {
        let pipe = Pipe()
        #expect(LogFormat.auto.resolved(for: pipe.fileHandleForWriting.fileDescriptor) == .json)
        #expect(LogFormat.text.resolved(for: pipe.fileHandleForWriting.fileDescriptor) == .text)
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        #expect(LogFormat.auto.resolved(for: terminal) == .text)
    }
}
