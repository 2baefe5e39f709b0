import ArgumentParser
import Offers
import Storage

struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Checks and exports the ledger of signatures, or deletes a customer's data.",
        subcommands: [
            LedgerVerify.self, LedgerExport.self, LedgerFunnel.self, LedgerHoldouts.self, LedgerShow.self,
            LedgerForget.self,
            LedgerAcknowledge.self, LedgerMigrate.self, LedgerRotateKey.self,
        ]
    )

    func run() async throws { throw Self.subcommandMissing() }
}

extension LedgerLoss {
    var sentence: String {
        "\(count.of("record")) of chain \(writer), \(first) to \(last.number), noticed at \(time.rfc3339)"
            + (isAcknowledged ? ", acknowledged" : "")
    }
}

struct LedgerAcknowledge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge",
        abstract: "Lets services sign again after the database has lost records, such as in a failover.",
        discussion:
            "You accept that some signatures are no longer on record, so that no limit counts them. The services may "
            + "be running; they sign again within seconds."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try options.settings()
        let losses = try await OpenLedger.use(settings) { try $0.journal.acknowledgeLosses() }
        for loss in losses { try Console.result("Acknowledged: \(loss.sentence)") }
        if losses.isEmpty { try Console.result("There is no loss to acknowledge.") }
    }
}

/// Makes or changes the tables, so that the service's own role needs no right to.
struct LedgerMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Makes the ledger's tables, or brings them up to date.",
        discussion:
            "With PostgreSQL, run it as the role that owns the tables: --ledger-url names the same database with that "
            + "role. The service's role needs no right to change tables then (deploy/postgresql.md). Services of the version "
            + "before refuse the new tables when they start."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try options.settings()
        try LedgerKeyFiles(settings).checkLedgerIsThere()
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
