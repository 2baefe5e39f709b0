import AppStore
import ArgumentParser
import Offers
import SubscriptionKeys

/// The command line: one file per command in `Commands`.
@main
struct OfferSigner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer-signer",
        abstract: "Signs App Store promotional offers for eligible customers.",
        discussion: "Exit status: 0 fine, 1 the work failed, 64 bad usage, 78 bad configuration.",
        version: Version.current,
        subcommands: [
            Serve.self, Sign.self, Check.self, Diagnose.self, Keys.self, Clients.self, Ledger.self, Notifications.self,
            Retention.self, Apple.self, Catalog.self,
        ]
    )

    /// Protects the process while it has one thread, and then runs the command.
    static func main() async {
        // If standard error is closed, the next file that is opened would get its number, and the messages.
        guard StandardDescriptors.reserve() else { Self.exit(withError: ExitCode.failure) }
        do throws(KeyError) {
            try ProcessProtection.enable()
        } catch {
            Console.message("error: \(error)")
            Self.exit(withError: ExitCode.failure)
        }
        guard CommandLine.argc > 0 else {
            // It would take this for a call without arguments, show its help, and end with exit status 0.
            Console.message(
                "error: the command line cannot be read: a library of LD_PRELOAD has changed the environment before the "
                    + "program began, where Swift looks for its arguments (start it without LD_PRELOAD); or /proc is not "
                    + "mounted, and has to be"
            )
            Self.exit(withError: ExitCode.validationFailure)
        }
        if let place = CommandLine.firstMalformedArgument {
            // Swift replaces malformed bytes by U+FFFD, and these would be signed.
            Console.message("error: argument \(place) is not UTF-8")
            Self.exit(withError: ExitCode.validationFailure)
        }
        if let sentence = CommandLine.movedCommand {
            Console.message("error: \(sentence)")
            Self.exit(withError: ExitCode.validationFailure)
        }
        do {
            var command = try parseAsRoot()
            if command is Serve, let shortage = ResourceShortage.found {
                Console.message("error: \(shortage.message)")
                Self.exit(withError: ExitCode.badConfiguration)
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            if let sentence = sentence(for: error) { Self.exit(withError: Console.failure(sentence)) }
            // The parser's message repeats the argument, which may be a secret; its help repeats none.
            let message = fullMessage(for: error)
            let arguments = CommandLine.arguments.dropFirst().filter { !subcommandNames.contains($0) }
            let status = exitCode(for: error)
            let shown = status == .success ? message : Echo.message(message, about: arguments)
            let hint = ConfigurationFlags.hinting(shown)
            guard hint != nil || shown != message else { Self.exit(withError: error) }
            Console.message(hint ?? shown)
            Self.exit(withError: ExitCode(status.rawValue))
        }
    }

    /// Those of two words, as far as they are not made of the type's name.
    private static let subcommandNames = Set(
        configuration.subcommands.flatMap { $0.configuration.subcommands }.compactMap { $0.configuration.commandName }
    )

    /// The sentence for the error of work that failed, which is exit 1; `nil` for the parser's errors and exit statuses.
    private static func sentence(for error: any Error) -> String? {
        switch error {
        case let fault as ValueFault: fault.message
        case let failure as StorageFailure: "\(failure)"
        case let fault as ServerAPIFault: "\(fault)"
        case let fault as AppStoreConnectFault: Echo.visible("\(fault)")
        default: nil
        }
    }
}

extension CommandLine {
    /// The sentence about a command of an earlier version that is another one now; `nil` for a command of this one.
    static var movedCommand: String? {
        let words = arguments.dropFirst().prefix(2)
        let lab = ["load": "load", "simulate-app-store": "app-store"]
        if let lab = lab[words.first ?? ""] {
            return "this is `offer-lab \(lab)` now, a command of an executable of its own"
        }
        let isMoved = words.first == "retention" && ["url", "messages", "defaults", "test"].contains(words.last)
        guard isMoved else { return nil }
        return "this is `offer-signer apple` now, which sends one call of Apple's; docs/retention.md has the calls"
    }

    /// The number of the first argument that is not UTF-8, counted from 1; `nil` if all are.
    ///
    /// `arguments` does not show it: Swift has replaced the malformed bytes by U+FFFD.
    static var firstMalformedArgument: Int? {
        (1..<max(Int(argc), 1)).first { index in
            guard let argument = unsafeArgv[index] else { return false }
            return String(validatingCString: argument) == nil
        }
    }
}

extension ParsableCommand {
    /// Shows the usage of a command that does nothing without one of its subcommands; exit 64.
    static func subcommandMissing() -> ExitCode {
        Console.message(OfferSigner.helpMessage(for: Self.self))
        return .validationFailure
    }
}
