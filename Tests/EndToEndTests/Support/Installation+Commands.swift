import ChildProcess
import Foundation
import Testing

/// The commands of `offer-signer`, run to their end with this configuration.
extension Installation {
    private func run(
        _ command: [String],
        _ arguments: [String],
        _ environment: [String: String]
    ) throws -> ChildProcess.Outcome {
        try Executable.run(command + ["--config", configuration] + arguments, environment: environment)
    }

    func check(_ arguments: String..., environment: [String: String] = [:]) throws -> ChildProcess.Outcome {
        try run(["check"], arguments, environment)
    }

    /// Starts the service where that is refused.
    func serve(_ arguments: String..., environment: [String: String] = [:]) throws -> ChildProcess.Outcome {
        try run(["serve"], arguments, environment)
    }

    func ledger(_ arguments: String..., environment: [String: String] = [:]) throws -> ChildProcess.Outcome {
        try run(["ledger"] + arguments, [], environment)
    }

    func diagnose(_ arguments: String...) throws -> ChildProcess.Outcome { try run(["diagnose"], arguments, [:]) }

    /// Signs an offer of `pro.monthly`.
    func sign(_ offer: String = "anyone", _ arguments: String...) throws -> ChildProcess.Outcome {
        let named = ["--bundle-id", Self.bundleId, "--product-id", "pro.monthly", "--offer-id", offer]
        return try run(["sign"], named + arguments, [:])
    }

    /// Every record, as `ledger export` prints them.
    func records() throws -> [[String: Any]] {
        let outcome = try ledger("export")
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        return try outcome.text.jsonLines()
    }
}

extension ChildProcess.Outcome {
    /// Standard output as a JSON object; empty where it is none.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: output)) as? [String: Any] ?? [:] }

    /// The first decision of an answer that was printed.
    var decision: [String: Any] { (json["decisions"] as? [[String: Any]])?.first ?? [:] }

    /// Expects an exit status, and words among the errors.
    func expect(_ status: Int32, _ words: String..., at place: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(text)\(errors)", sourceLocation: place)
        for word in words { #expect(errors.contains(word), "\(errors)", sourceLocation: place) }
    }
}

extension StringProtocol {
    /// Its lines, each a JSON object.
    func jsonLines() throws -> [[String: Any]] {
        try split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }
}
