import ArgumentParser

extension ParsableCommand {
    /// Tells how a command is used that does nothing without one of its subcommands.
    ///
    /// - Returns: Exit 64.
    static func subcommandMissing() -> ExitCode {
        Console.message(OfferSigner.helpMessage(for: Self.self))
        return .validationFailure
    }
}
