import ArgumentParser

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
