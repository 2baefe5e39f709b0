import ArgumentParser
import Foundation

/// Where a command writes: results on standard output, everything else on standard error.
enum Console {
    /// Writes a result.
    ///
    /// - Parameter text: The text, without its newline.
    /// - Throws: Exit 1 when it cannot be written, as to a full disk or to a program that has ended.
    static func result(_ text: String) throws(ExitCode) {
        try write(Data((text + "\n").utf8))
    }

    /// Writes a piece of a result as it is.
    ///
    /// - Parameter bytes: The piece, with its newlines.
    /// - Throws: Exit 1 when it cannot be written.
    static func write(_ bytes: Data) throws(ExitCode) {
        do {
            try FileHandle.standardOutput.write(contentsOf: bytes)
        } catch {
            message("error: standard output cannot be written: \(error.reason)")
            throw .failure
        }
    }

    /// Writes a message, if it can be written: nobody could be told that it cannot.
    ///
    /// - Parameter text: The text, without its newline.
    static func message(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h: the configuration cannot be used.
    static let badConfiguration = ExitCode(78)
}
