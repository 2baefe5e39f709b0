import ArgumentParser
import Offers
import Storage

/// Makes or changes the tables, so that the service's own role needs no right to.
struct LedgerMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Makes the ledger's tables, or brings them up to date.",
        discussion:
            "With PostgreSQL, run it as the role that owns the tables: --ledger-url names the same database with that "
            + "role. The service's role then needs no right to change tables (deploy/README.md). Services of the version "
            + "before refuse the new tables when they start."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try options.load().settings
        let steps: [String]
        do throws(StorageFailure) {
            steps = try LedgerDatabase.migrate(settings.ledger.location)
        } catch {
            throw ValueFault("the tables cannot be made: \(error.detail)")
        }
        for step in steps { try Console.result("Made: step \(step).") }
        try Console.result(steps.isEmpty ? "Nothing was due." : "The tables are up to date.")
    }
}
