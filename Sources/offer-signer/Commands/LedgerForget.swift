import ArgumentParser
import Foundation
import OfferService
import Offers
import Storage

struct LedgerForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Deletes a customer's data, in every app of the catalog.",
        discussion: "Records of signatures stay, because the hash chain needs them: they have only a keyed digest "
            + "of the account. The service may be running; it notices within a second."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The account's UUID.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var applicationUsername: String?

    func validate() throws {
        guard (appAccountToken == nil) != (applicationUsername == nil) else {
            throw ValidationError("Give --app-account-token or --application-username, one of them.")
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("--app-account-token is a UUID: 8-4-4-4-12 hexadecimal digits.")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let account =
            appAccountToken.flatMap(AppAccountToken.init).map(Account.appAccountToken)
            ?? .applicationUsername(applicationUsername ?? "")
        guard let text = account.stateKey else { return }
        let count = try await OpenLedger.use(settings) { opened in
            var count = 0
            for app in settings.apps.map(\.app) {
                let digest = opened.digestKey.digest(of: text, bundleId: app.bundleId)
                if let customer = account.customer(by: app.customerSeparator) {
                    _ = try await opened.journal.forget(customer: customer, bundleId: app.bundleId)
                    // Before the account's subscriptions are forgotten, by which it was drawn in requests without it.
                    try await opened.journal.forgetHoldouts(
                        of: customer,
                        account: digest,
                        bundleId: app.bundleId,
                        by: opened.digestKey
                    )
                }
                count += try await opened.journal.forget(digest)
            }
            return count
        }
        try Console.result("Forgotten: what was held of the account in \(count.of("subscription")).")
    }
}
