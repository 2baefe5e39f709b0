import AppStore
import ArgumentParser
import OfferService
import Offers

struct Notifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Reads the notifications that Apple keeps, and has Apple send a test.",
        subcommands: [NotificationsCatchUp.self, NotificationsTest.self]
    )

    func run() async throws { throw Self.subcommandMissing() }
}

struct NotificationsTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Has Apple send a test notification in each environment of an app, and says what came of it.",
        discussion: "Exit status 0 when Apple has delivered them all. The command waits for a minute at most."
    )

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @OptionGroup var options: ConfigurationOptions

    /// How often Apple is asked for the outcome: it takes one such call a second.
    private static let attempts = 60

    func validate() throws { try Identifier.check(["--bundle-id": bundleId]) }

    func run() async throws {
        let service = try options.load(logsWarnings: false)
        let transport = AsyncHTTPTransport()
        let apple = service.notificationHistory(over: transport, logger: service.commandLogger)
        do {
            var isDelivered = true
            for owner in try service.historyOwners(of: bundleId, by: apple) {
                let result = await outcome(of: owner, by: apple)
                isDelivered = isDelivered && result == "SUCCESS"
                try Console.result("\(owner.environment.rawValue): \(result)")
            }
            await transport.shutdown()
            guard isDelivered else { throw Console.failure("Apple did not deliver each test notification") }
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Apple's word on its attempt, or why there is none.
    private func outcome(of owner: HistoryOwner, by apple: AppStoreNotificationHistory) async -> String {
        do {
            let token = try await apple.requestTest(of: owner)
            for _ in 0..<Self.attempts {
                try await Task.sleep(for: .seconds(1))
                if let last = try await apple.testAttempts(token, of: owner).last { return last.result }
            }
            return "Apple has not tried to send it within a minute"
        } catch {
            return "\(error)"
        }
    }
}

extension LoadedService {
    /// The environments of an app whose notifications Apple can be asked for; of each app for `nil`.
    func historyOwners(
        of bundleId: String?,
        by history: AppStoreNotificationHistory
    ) throws(ValueFault) -> [HistoryOwner] {
        if let bundleId, !settings.apps.contains(where: { $0.app.bundleId == bundleId }) {
            throw ValueFault(Echo.unknownApp(bundleId, in: settings.apps))
        }
        let owners = history.owners.filter { bundleId == nil || $0.bundleId == bundleId }
        guard owners.isEmpty else { return owners }
        throw ValueFault(
            "Apple wants the issuer of the key: write issuerId on \(bundleId.map { "the app \($0)" } ?? "an app") in the catalog"
        )
    }
}
