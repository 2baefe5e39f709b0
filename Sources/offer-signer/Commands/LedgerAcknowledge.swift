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
        // A ledger that is made for it would be empty: the one that is meant is elsewhere.
        let opened = try options.orFail { () throws(ValueFault) in try OpenLedger(settings, isMade: false) }
        let losses: [LedgerLoss]
        do throws(StorageFailure) {
            losses = try opened.ledger.acknowledgeLosses()
        } catch {
            await opened.close()
            throw Console.failure("\(error)")
        }
        await opened.close()
        for loss in losses { try Console.result("Acknowledged: \(loss.sentence)") }
        if losses.isEmpty { try Console.result("There is no loss to acknowledge.") }
    }
}

extension LedgerLoss {
    var sentence: String {
        "\(count) record\(count == 1 ? "" : "s") of chain \(writer), \(first) to \(last.number), noticed at \(time.rfc3339)"
            + (isAcknowledged ? ", acknowledged" : "")
    }
}
