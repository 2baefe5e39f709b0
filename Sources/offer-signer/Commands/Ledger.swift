import ArgumentParser
import Offers
import Storage

struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Checks and exports the ledger of signatures, or deletes a customer's data.",
        subcommands: [
            LedgerVerify.self, LedgerExport.self, LedgerFunnel.self, LedgerForget.self, LedgerAcknowledge.self,
            LedgerMigrate.self,
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
