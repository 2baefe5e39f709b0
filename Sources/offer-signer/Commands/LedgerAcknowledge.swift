import ArgumentParser
import Offers
import Storage

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
        let settings = try options.load().settings
        let losses = try await OpenLedger.use(settings) { try $0.ledger.acknowledgeLosses() }
        for loss in losses { try Console.result("Acknowledged: \(loss.sentence)") }
        if losses.isEmpty { try Console.result("There is no loss to acknowledge.") }
    }
}
