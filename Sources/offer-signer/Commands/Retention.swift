import ArgumentParser

/// `offer-signer retention`: what Apple shows customers who are about to cancel.
struct Retention: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Tries messages for customers who are about to cancel, and sets them up at Apple.",
        subcommands: [
            RetentionTry.self, RetentionURL.self, RetentionMessages.self, RetentionDefaults.self, RetentionTest.self,
        ]
    )

    func run() async throws { throw Self.subcommandMissing() }
}
