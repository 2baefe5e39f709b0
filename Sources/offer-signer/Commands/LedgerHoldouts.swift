import ArgumentParser
import Offers
import Storage

struct LedgerHoldouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "holdouts",
        abstract: "Prints what an offer brought, beside the customers who were held out.",
        discussion: "The service may be running: its customers arrive after some seconds."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Which purchases count: those of the App Store, or of its sandbox.")
    var environment = EnvironmentArgument.production

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try options.settings()
        let database = try OpenLedger.readOnly(settings)
        let arms = try await database.storage.holdoutArms(in: environment.environment)
        let report = HoldoutReport(arms, of: settings.apps.map(\.app), in: environment.environment)
        try Console.result(json ? report.json : report.text)
        await database.close()
    }
}
