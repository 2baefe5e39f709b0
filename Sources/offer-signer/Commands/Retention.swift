import ArgumentParser

/// `offer-signer retention`: what customers are shown who are about to cancel.
struct Retention: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Tries what customers are shown who are about to cancel.",
        subcommands: [RetentionTry.self]
    )

    func run() async throws { throw Self.subcommandMissing() }
}
