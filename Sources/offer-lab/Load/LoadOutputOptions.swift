import ArgumentParser
import Foundation
import LoadGenerator

/// The options of `load` that say what becomes of the result.
struct LoadOutputOptions: ParsableArguments {
    /// How many answers are kept, unless all are.
    static let sample = 1000

    @Option(
        help: ArgumentHelp(
            """
            The public key as PEM (openssl pkey -pubout), - for standard input: a sample of the signatures is checked \
            after the run.
            """,
            valueName: "pem"
        )
    )
    var verifyKey: String?

    @Flag(help: "Check all signatures, not a sample: every answer is kept until the end, half a kilobyte an offer.")
    var verifyAll = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Where the run is written second by second, to be plotted.", valueName: "file"))
    var csv: String?

    func validate() throws {
        // Nobody is to wait for a run whose result is lost.
        if let csv, let obstacle = Self.obstacle(toWriting: csv) {
            throw ValidationError("--csv: \(csv) cannot be written: \(obstacle).")
        }
    }

    /// What checks signatures with the public key that was named; `nil` when none was.
    var checker: SignatureChecker? {
        get throws { try verifyKey.map(Self.checker) }
    }

    private static func checker(_ file: String) throws -> SignatureChecker {
        guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file),
            let bytes = try? handle.readToEnd()
        else { throw ValidationError("--verify-key: \(file) cannot be read.") }
        guard let checker = SignatureChecker(pem: String(decoding: bytes, as: UTF8.self)) else {
            throw ValidationError(
                "--verify-key: \(file) holds no P-256 public key; "
                    + "offer-signer keys inspect --public-key SubscriptionKey_ID.p8 prints one."
            )
        }
        return checker
    }

    /// Why a file cannot be written, as far as that is known before it is; `nil` when nothing speaks against it.
    private static func obstacle(toWriting file: String) -> String? {
        let url = URL(filePath: file)
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        guard !isThere || !isDirectory.boolValue else { return String(cString: strerror(EISDIR)) }
        let place = isThere ? url.path : url.deletingLastPathComponent().path
        return access(place, isThere ? W_OK : W_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
    }

    /// Prints the result, and writes the run second by second if that is wanted; each, though the other cannot be.
    ///
    /// - Parameters:
    ///   - report: The result.
    ///   - measurement: The run.
    /// - Throws: Exit 1 when one of them cannot be written.
    func write(_ report: LoadReport, _ measurement: LoadMeasurement) throws(ExitCode) {
        var isWritten = true
        if let csv {
            do {
                try Data(measurement.csv.utf8).write(to: URL(filePath: csv))
            } catch {
                Console.message("error: \(csv) cannot be written: \(error)")
                isWritten = false
            }
        }
        let text: String
        do {
            text = json ? try report.json() : report.text
        } catch {
            Console.message("error: the result cannot be written: \(error)")
            throw .failure
        }
        try Console.result(text)
        guard isWritten else { throw .failure }
    }
}
