import ArgumentParser
import LogLines
import Logging
import OfferAPI
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the service until SIGTERM."
    )

    @Option(name: .long, help: ConfigurationOptions.help)
    var config: String

    @OptionGroup(title: "Settings, instead of the file's")
    var flags: ConfigurationFlags

    private var options: ConfigurationOptions {
        var options = ConfigurationOptions()
        options.config = config
        options.flags = flags
        return options
    }

    func validate() throws { try options.validate() }

    func run() async throws {
        // First of all: without a trap, SIGHUP ends the process, and systemd would count that as a clean end. A SIGHUP
        // during the start takes effect after it.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let composition = try compose()
        do {
            try await composition.run(reloadingAt: hangUps)
        } catch {
            throw Console.failure("\(error)")
        }
    }

    /// Only the composition keeps the loaded service: another reference would keep the keys in memory after a reload.
    private func compose() throws -> ServiceComposition {
        let service = try options.load(logsWarnings: false, checking: .atStart)
        let log = LogOutput(format: service.settings.logFormat, level: service.settings.logLevel)
        Console.speak(as: log)
        LoggingSystem.bootstrap(log.handler, metadataProvider: RequestIdentity.metadataProvider)
        let logger = Logger(label: "offer-signer")
        for warning in service.settings.warnings { logger.warning("\(warning)") }
        let settings = service.settings
        if let warning = LedgerKeyFiles(settings).lossWarning { logger.warning("\(warning)") }
        let ledger: OpenLedger
        do throws(ValueFault) {
            ledger = try OpenLedger(settings)
        } catch {
            guard error.isLasting else { throw error }
            // The status by which systemd does not start it again and again.
            Console.message("error: \(settings.values.fault(of: \.ledgerURL, error.message))")
            throw ExitCode.badConfiguration
        }
        if let beginning = ledger.beginning { logger.notice("\(beginning)") }
        ledger.prove()
        return ServiceComposition(service, ledger, from: options.source, log: log)
    }
}
