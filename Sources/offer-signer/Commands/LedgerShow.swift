import ArgumentParser
import OfferService
import Offers
import Storage

struct LedgerShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints all that is stored of one customer.",
        usage: "offer-signer ledger show --config <file> --bundle-id <id> [<options>]",
        discussion: """
            Signatures, limits, held subscriptions, redemptions, holdouts, and what stays after `ledger forget`. The service \
            may be running. The customer's digest is the one that the log has with log.decisions.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @OptionGroup var customer: CustomerOptions

    @Flag(help: "Print JSON: the answer to a person who asks what is stored.")
    var json = false

    func validate() throws { try Identifier.check(["--bundle-id": bundleId]) }

    func run() async throws {
        let settings = try options.settings()
        guard let app = settings.apps.first(where: { $0.app.bundleId.hasSameBytes(as: bundleId) })?.app else {
            let hint = Echo.hint(for: bundleId, among: settings.apps.map(\.app.bundleId))
            Console.message("error: --bundle-id: the catalog has no app \(Echo.beginning(of: bundleId)); \(hint)")
            throw ExitCode.validationFailure
        }
        let (database, digestKey) = try OpenLedger.readOnlyWithKey(settings)
        let now = WallClock.now()
        let stored = customer.customer(of: app, by: digestKey)
        let report: CustomerReport
        do throws(StorageFailure) {
            let holdings = try database.storage.holdings(of: stored)
            let question = LedgerQuestion(
                limitsOf: app,
                of: AccountView(customer.account, of: app.bundleId, digester: digestKey),
                subscription: customer.originalTransactionId,
                held: holdings.book,
                at: now
            )
            let counts = try await LedgerRecall(database.storage, digestKey: digestKey).answer(to: question).signatures
            let counted = Set(stored.counted(in: holdings.book, with: question.knownAccount).map(\.bytes))
            report = CustomerReport(
                of: stored,
                in: app,
                holdings,
                limits: (holdings.isEmpty ? [] : question.offers).map { offer, limit, _ in
                    CustomerReport.Limit(offer, limit, counts[offer] ?? 0, holdings, of: counted, at: now)
                },
                stays: Stays.sentences(retentionDays: settings.ledgerRetentionDays),
                now: now
            )
        } catch {
            throw ValueFault("the ledger cannot be read: \(error.detail)")
        }
        await database.close()
        try Console.result(json ? report.json : report.text)
    }
}
