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

extension ConfigurationOptions {
    /// Does a piece of work; exit 1, with the fault on standard error, where it fails.
    func orFail<Value>(_ work: () throws(ValueFault) -> Value) throws(ExitCode) -> Value {
        do throws(ValueFault) {
            return try work()
        } catch {
            throw Console.failure("\(error.message)")
        }
    }
}
