import ArgumentParser
import OfferService
import Offers
import Storage

struct Retention: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Tries messages for customers who are about to cancel.",
        subcommands: [RetentionTry.self]
    )

    func run() async throws { throw Self.subcommandMissing() }
}

struct RetentionTry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Says, rule by rule, how the service would answer Apple about a customer.",
        discussion: """
            Nothing is signed, nothing is recorded, and Apple is not asked. It uses what the service remembers of the \
            customer. The service may be running. Exit status 1 when no rule fits.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @Option(help: ArgumentHelp("The original transaction identifier of the subscription.", valueName: "id"))
    var transactionId: String

    @Option(help: ArgumentHelp("The product that the customer has.", valueName: "id"))
    var productId: String

    @Option(help: ArgumentHelp("The customer's locale, such as de-AT.", valueName: "locale"))
    var locale: String?

    @Option(
        help:
            "Where it was bought: Production or Sandbox. Default: the first of the two that the catalog allows for the app."
    )
    var environment: EnvironmentArgument?

    func validate() throws {
        try Identifier.check([
            "--bundle-id": bundleId, "--transaction-id": transactionId, "--product-id": productId,
        ])
    }

    func run() async throws {
        let service = try options.load()
        let (app, rules) = try app(of: service.settings)
        let subscription = SubscriptionIdentity(
            bundleId: bundleId,
            environment: try environment(of: app),
            originalTransactionId: transactionId
        )
        let now = WallClock.now()
        let remembered = remembered(service.settings)
        let customer = try await customer(of: subscription, app, remembered?.memory)
        var policy = RetentionPolicy(
            rules,
            of: app,
            productId: productId,
            locale: locale,
            customer: customer,
            now: now,
            maximumHeldAgeSeconds: Int64(service.settings.evidenceMaximumAgeSeconds),
            drawingBy: remembered?.memory.draw
        )
        if let recall = remembered?.recall,
            let question = policy.question(about: customer.account, at: now)
        {
            policy.consider(try await recall.answer(to: question))
        }
        try Console.result(
            "Subscription \(transactionId) of \(bundleId), \(subscription.environment.rawValue): "
                + (customer.book == nil
                    ? "nothing is remembered of it; the service asks Apple about it after the answer"
                    : customer.account == nil ? "known, without an account" : "known, with its account")
        )
        let (choice, findings) = policy.explainedChoice()
        for finding in findings { try tell(finding) }
        if let next = findings.last?.index, next + 1 < rules.count {
            let rest = rules.count - next - 1
            try Console.result(rest == 1 ? "The rule behind it is not asked." : "The \(rest) behind it are not asked.")
        }
        guard let choice else {
            try Console.result("No rule fits: 404 no_retention_message, and Apple shows its own message.")
            throw ExitCode.failure
        }
        try Console.result("Apple would be answered: \(words(for: choice, rules))")
    }

    private func app(of settings: Settings) throws(ValueFault) -> (App, [RetentionRule]) {
        guard let app = settings.apps.first(where: { $0.app.bundleId == bundleId }) else {
            throw ValueFault(Echo.unknownApp(bundleId, in: settings.apps))
        }
        guard let rules = app.retention else {
            throw ValueFault(
                "the app \(bundleId) has no retention section in the catalog; Apple would be answered 404"
            )
        }
        return (app.app, rules)
    }

    private func environment(of app: App) throws(ValueFault) -> AppStoreEnvironment {
        let asked = environment?.environment
        let first = EnvironmentArgument.allCases.map(\.environment).first(where: app.environments.contains)
        guard let environment = asked ?? first, app.environments.contains(environment) else {
            throw ValueFault(
                "\(asked?.rawValue ?? "neither environment") does not count for \(bundleId) by the catalog; Apple would "
                    + "be answered 422"
            )
        }
        return environment
    }

    /// The service's memory; a fault in reading it is printed, as every customer is unknown then.
    private func remembered(_ settings: Settings) -> (memory: StateMemory, recall: LedgerRecall)? {
        do throws(ValueFault) {
            return try OpenLedger.remembered(settings)
        } catch {
            Console.message("warning: what is remembered cannot be read: \(error.message)")
            return nil
        }
    }

    private func customer(
        of subscription: SubscriptionIdentity,
        _ app: App,
        _ memory: StateMemory?
    ) async throws(ValueFault) -> RetentionCustomer {
        guard let memory else { return RetentionCustomer(subscription, in: Book(), of: app) }
        do throws(StorageFailure) {
            return try await RetentionCustomers(memory: memory).customer(of: subscription, in: app)
        } catch {
            throw ValueFault("what is remembered cannot be read: \(error.detail)")
        }
    }

    private func tell(_ finding: RetentionPolicy.Finding) throws(ExitCode) {
        try Console.result("\(finding.index + 1). \(finding.wanted)")
        try Console.result("   \(finding.fits ? "fits" : "does not fit"): \(finding.saw)")
        for rule in finding.decision?.explanation ?? [] { try Console.result("     \(rule.rule): \(rule.saw)") }
    }

    private func words(for choice: RetentionPolicy.Choice, _ rules: [RetentionRule]) -> String {
        let message = rules[choice.index].message
        let locale = message.identifier(for: locale).locale
        let shown = "message \(choice.messageIdentifier) (\(message.name), \(locale))"
        switch choice.proposal {
        case .message: return shown
        case .switchTo(let product, let plan):
            return "alternateProduct \(product)\(plan.map { ", \($0.rawValue)" } ?? ""), \(shown)"
        case .offer(let offer, _):
            return "promotionalOffer \(offer.offerId) of \(offer.productId), signed then, \(shown)"
        }
    }
}
