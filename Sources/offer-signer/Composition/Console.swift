import ArgumentParser
import Foundation

/// Where a command writes: results on standard output, everything else on standard error.
enum Console {
    /// Writes a result.
    ///
    /// - Parameter text: The text, without its newline.
    static func result(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Writes a message.
    ///
    /// - Parameter text: The text, without its newline.
    static func message(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h: the configuration cannot be used.
    static let badConfiguration = ExitCode(78)
}
