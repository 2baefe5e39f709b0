import ChildProcess
import Foundation

extension Installation {
    /// The ledger's file.
    var ledger: String { directory.path("ledger.sqlite") }

    /// Runs `offer-signer ledger`.
    ///
    /// - Parameter arguments: Its arguments, without `--config`.
    /// - Returns: Its exit status and all that it wrote.
    /// - Throws: An error when it cannot be started.
    func ledger(_ arguments: String...) throws -> ChildProcess.Outcome {
        try Executable.run(["ledger"] + arguments + ["--config", configuration])
    }

    /// Every record, as `ledger export` prints them.
    ///
    /// - Returns: The lines, each a JSON object.
    /// - Throws: `Failure` when it fails.
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

    /// Puts members into the catalog's offer `anyone`, and lines into its app.
    ///
    /// - Parameters:
    ///   - offer: The members, such as `maximumSignaturesPerCustomer: 5`.
    ///   - app: The lines of the app, with their indentation.
    /// - Throws: The error of writing the file.
    func limit(offer: String, app: String = "") throws {
        let catalog = try String(contentsOf: directory.url.appending(path: "catalog.yaml"), encoding: .utf8)
        try directory.write(
            "catalog.yaml",
            catalog.replacing("id: anyone", with: "id: anyone, \(offer)").replacing(
                "    keys:",
                with: app + "    keys:"
            )
        )
    }
}

extension RunningService {
    /// Waits until `/readyz` answers with a status.
    ///
    /// - Parameter status: The status.
    /// - Returns: The details.
    /// - Throws: `Failure` when it does not in time.
    @discardableResult
    func waitUntilReadiness(is status: Int) throws -> [String: Any] {
        let deadline = Date() + 30
        while Date() < deadline {
            let (found, details) = try readiness()
            if found == status { return details }
            usleep(20_000)
        }
        throw Failure(text: "/readyz is not \(status); \(log)")
    }
}
