import ArgumentParser
import Offers
import Storage

struct LedgerForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Deletes a customer's data, in every app of the catalog, and says what stays.",
        usage: "offer-signer ledger forget --config <file> [<options>]",
        discussion: "Records of signatures stay, because the hash chain needs them. The service may be running; it "
            + "notices within a second."
    )

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var customer: CustomerOptions

    func run() async throws {
        let settings = try options.settings()
        let erasures = try await OpenLedger.use(settings) { opened in
            var erasures: [Erasure] = []
            for app in settings.apps.map(\.app) {
                erasures.append(try await opened.journal.erase(customer.customer(of: app, by: opened.digestKey)))
            }
            return erasures
        }
        let subscriptions = erasures.reduce(0) { $0 + ($1.subscriptions ?? 0) }
        let whose = customer.originalTransactionId == nil ? "the account" : "the customer"
        try Console.result("Forgotten: what was held of \(whose) in \(subscriptions.of("subscription")).")
        for erasure in erasures {
            try Console.result(
                "On record: \(erasure.time.rfc3339), \(erasure.bundleId), \(erasure.rows.of("row")), customer "
                    + Hexadecimal.text(erasure.customer.bytes)
            )
        }
        try Console.result("What stays:")
        for sentence in Stays.sentences(retentionDays: settings.ledgerRetentionDays) {
            try Console.result("- \(sentence)")
        }
    }
}
