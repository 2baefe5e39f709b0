import AppStore
import ArgumentParser
import Offers

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

/// The part of a sub-command that is its own: its arguments, and its work.
protocol RetentionWork: ParsableArguments {
    static var configuration: CommandConfiguration { get }
    static var isForSandboxAlone: Bool { get }

    /// Asks Apple and prints the answers; a `RetentionFault` is exit 1.
    func run(asking apple: RetentionSetUp) async throws
}

extension RetentionWork {
    static var isForSandboxAlone: Bool { false }
}

/// A sub-command that asks Apple in an app's name.
struct AskApple<Work: RetentionWork>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Work.configuration }

    @OptionGroup var work: Work

    @Option(
        help: Work.isForSandboxAlone
            ? "Only Sandbox: Apple tests nowhere else."
            : "Production or Sandbox. Each has its own messages, defaults and address."
    )
    var environment = Work.isForSandboxAlone ? EnvironmentArgument.sandbox : .production

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if Work.isForSandboxAlone, environment != .sandbox {
            throw ValidationError("--environment: Apple's performance test runs in the Sandbox alone.")
        }
        try Identifier.check(["--bundle-id": bundleId])
    }

    func run() async throws {
        // Warnings for a service do not concern this command.
        let service = try options.load(logsWarnings: false)
        guard let app = service.appStoreApps.first(where: { $0.bundleId == bundleId }) else {
            throw ValueFault(Echo.unknownApp(bundleId))
        }
        let transport = AsyncHTTPTransport()
        let apple = RetentionSetUp(
            of: app,
            in: environment.environment,
            urls: service.appStoreURLs,
            transport: transport,
            now: WallClock.now,
            reportWait: { Console.message("waiting \($0) s: \($1)") }
        )
        do {
            try await work.run(asking: apple)
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
    }
}

extension MessageIdentifier {
    static func argument(_ text: String) throws -> MessageIdentifier {
        guard let identifier = MessageIdentifier(text) else {
            throw ValidationError("A message's identifier is a UUID: 8-4-4-4-12 hexadecimal digits.")
        }
        return identifier
    }
}
