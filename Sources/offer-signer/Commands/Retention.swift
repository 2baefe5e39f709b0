import ArgumentParser

/// `offer-signer retention`: what Apple shows customers who are about to cancel.
struct Retention: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Sets up what Apple shows customers who are about to cancel.",
        subcommands: [RetentionURL.self, RetentionMessages.self, RetentionDefaults.self, RetentionTest.self]
    )

    func run() throws { throw Self.subcommandMissing() }
}
