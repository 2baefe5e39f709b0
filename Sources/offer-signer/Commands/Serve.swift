import ArgumentParser
import Foundation
import Logging
import OfferAPI
import ServiceLifecycle

/// `offer-signer serve`: the service, until SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the service until SIGTERM.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let composition = ServiceComposition(try options.load(), from: options.source)
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        do {
            try await composition.run()
        } catch {
            Console.message("error: \(error)")
            throw ExitCode.failure
        }
    }
}
