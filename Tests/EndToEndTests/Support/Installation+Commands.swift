import ChildProcess
import Foundation

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
        return try outcome.text.split(separator: "\n").map { line in
            guard let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                throw Failure(text: "no JSON object: \(line)")
            }
            return record
        }
    }
}

extension ChildProcess.Outcome {
    /// Standard output as a JSON object; empty where it is none.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: output)) as? [String: Any] ?? [:] }

    /// The first decision of an answer that was printed.
    var decision: [String: Any] { (json["decisions"] as? [[String: Any]])?.first ?? [:] }
}
