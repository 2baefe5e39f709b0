import ArgumentParser
import Foundation
import Glibc
import LogLines
import Logging
import Synchronization

/// A command's output: results on standard output, everything else on standard error.
enum Console {
    /// The log of `serve`, once its format is known: messages are lines of it, so that all are of a chosen format.
    private static let log = Mutex<LogOutput?>(nil)

    static func speak(as output: LogOutput) { log.withLock { $0 = output } }

    /// Writes a line of `serve` on standard output, in the log's format if that was chosen.
    static func announce(_ text: String, _ metadata: Logger.Metadata) throws(ExitCode) {
        guard let log = log.withLock({ $0 }) else { return try result(text) }
        try write(Data(log.line(text, metadata: metadata)))
    }

    /// Writes a line; exit 1 when it cannot be written, as to a full disk or to a program that has ended.
    static func result(_ text: String) throws(ExitCode) {
        try write(printable(text + "\n"))
    }

    /// A text without control characters, which a terminal would obey, of any source: they are escaped as JSON and
    /// YAML do it.
    static func printable(_ text: String) -> Data {
        let isPlain = text.unicodeScalars.allSatisfy { !isControl($0) }
        guard !isPlain else { return Data(text.utf8) }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isControl(scalar) else {
                shown.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            shown.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
        return Data(String(shown).utf8)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }

    static func write(_ bytes: Data) throws(ExitCode) {
        var rest = bytes
        while !rest.isEmpty {
            // Foundation has no words for most of the reasons.
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                message("error: standard output cannot be written: \(String(cString: strerror(errno)))")
                throw .failure
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes an error; to be thrown, as exit 1.
    static func failure(_ text: String) -> ExitCode {
        message("error: " + text)
        return .failure
    }

    /// Writes a message, if it can be written: there is nowhere to report a failure.
    static func message(_ text: String) {
        if let log = log.withLock({ $0 }) { return log.say(text) }
        try? FileHandle.standardError.write(contentsOf: printable(text + "\n"))
    }
}

extension Console {
    /// Shows what a long command is at, in one line of a terminal that the next one replaces; nothing elsewhere.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(Echo.visible(text))".utf8))
    }
}

extension BinaryInteger {
    /// Such as "1 record" and "2 records".
    func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h: the configuration cannot be used.
    static let badConfiguration = ExitCode(78)
}
