import ArgumentParser
import Foundation

/// The command line of what is for tests and load: nothing of it is in the service's executable, and no signing key of the
/// service comes into it.
@main
struct OfferLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer-lab",
        abstract: "Plays the App Store for a service under test, and puts load on one.",
        discussion: "Exit status: 0 fine, 1 the work failed, 64 bad usage, 78 bad configuration.",
        // The service's: a test holds the two together.
        version: "0.1.0",
        subcommands: [AppStore.self, Load.self]
    )
}

/// Where a command writes: results on standard output, everything else on standard error.
enum Console {
    /// Writes a result; exit 1 when it cannot be written, as to a full disk.
    static func result(_ text: String) throws(ExitCode) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            message("error: standard output cannot be written: \(error)")
            throw .failure
        }
    }

    static func message(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h: the configuration cannot be used.
    static let badConfiguration = ExitCode(78)
}
