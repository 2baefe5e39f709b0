import ArgumentParser
import SubscriptionKeys

/// The command line: one file per command in `Commands`.
@main
struct OfferSigner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer-signer",
        abstract: "Signs App Store promotional offers for the customers who may have them.",
        discussion: "Exit status: 0 fine, 1 the work failed, 64 bad usage, 78 bad configuration.",
        version: Version.current,
        subcommands: [
            Serve.self, Sign.self, Check.self, Diagnose.self, Keys.self, Clients.self, SimulateAppStore.self,
        ]
    )

    /// Protects the process while it has one thread, and then runs the command.
    static func main() async {
        do throws(ProcessProtectionError) {
            try ProcessProtection.enable()
        } catch {
            Console.message("error: \(error)")
            Self.exit(withError: ExitCode.failure)
        }
        await Self.main(nil)
    }
}
