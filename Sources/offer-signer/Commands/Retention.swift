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

enum EnvironmentArgument: String, CaseIterable, ExpressibleByArgument {
    case production = "Production"
    case sandbox = "Sandbox"

    var environment: AppStoreEnvironment { self == .production ? .production : .sandbox }
}

struct RetentionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws {
        guard (1...Identifier.maximumBytes).contains(bundleId.utf8.count) else {
            throw ValidationError("--bundle-id has 1 to \(Identifier.maximumBytes) bytes.")
        }
    }

    /// Asks Apple in the app's name; exit 1, with the fault on standard error, where Apple refuses.
    func asking<Value: Sendable>(
        in environment: EnvironmentArgument,
        _ work: (RetentionSetUp) async throws(RetentionFault) -> Value
    ) async throws(ExitCode) -> Value {
        // Warnings for a service do not concern this command.
        let service = try configuration.load(logsWarnings: false)
        let transport = AsyncHTTPTransport()
        let result = await answer(of: service, in: environment, over: transport, work)
        await transport.shutdown()
        switch result {
        case .success(let value): return value
        case .failure(let fault):
            throw Console.failure("\(fault)")
        }
    }

    private func answer<Value: Sendable>(
        of service: LoadedService,
        in environment: EnvironmentArgument,
        over transport: AsyncHTTPTransport,
        _ work: (RetentionSetUp) async throws(RetentionFault) -> Value
    ) async -> Result<Value, RetentionFault> {
        let app = service.retentionSetUp(of: bundleId, in: environment.environment, over: transport) {
            seconds,
            reason in
            Console.message("waiting \(seconds) s: \(reason)")
        }
        guard let app else { return .failure(.unknownApp(Echo.name(bundleId, orElse: "of this bundle id"))) }
        do throws(RetentionFault) {
            return .success(try await work(app))
        } catch {
            return .failure(error)
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
