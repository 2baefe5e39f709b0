import ArgumentParser
import Offers
import Storage

struct LedgerFunnel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "Prints what became of each offer: asked for, eligible, signed, redeemed, and why it was refused.",
        usage: "offer-signer ledger funnel --config <file> [<options>]",
        discussion: "Days are whole days in UTC. The service may be running: its counts arrive after some seconds."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp("The first day, such as 2026-01-31.", valueName: "time"),
        transform: Timestamp.argument
    )
    var since: Timestamp?

    @Option(
        help: ArgumentHelp(
            "The day after the last one: with 2026-02-01, the last day is 2026-01-31.",
            valueName: "time"
        ),
        transform: Timestamp.argument
    )
    var until: Timestamp?

    @Option(help: "Which purchases count: those of the App Store, or of its sandbox.")
    var environment = EnvironmentArgument.production

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        let period = period
        if let start = period.start, let end = period.end, end <= start {
            throw ValidationError("--until is not after --since.")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let database = try OpenLedger.readOnly(settings)
        let figures = try database.storage.funnelFigures(of: period, in: environment.environment)
        let prices = try await ReportedPrices(of: figures, in: database.storage)
        let funnel = Funnel(
            figures,
            catalog: settings.apps.flatMap { app in
                app.app.offers.map { FunnelFigures.Offer(bundleId: app.app.bundleId, request: $0) }
            },
            reportedPrice: prices.price
        )
        let report = FunnelReport(funnel: funnel, period: period, environment: environment.environment)
        try Console.result(json ? report.json : report.text)
        await database.close()
    }

    private var period: FunnelPeriod { FunnelPeriod(since: since, until: until) }
}
