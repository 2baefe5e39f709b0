import ArgumentParser
import Foundation
import LogLines

struct ConfigurationOptions: ParsableArguments {
    static let help = ArgumentHelp(
        "The configuration file, offer-signer.yaml. Each setting also has a flag: see serve --help.",
        valueName: "file"
    )

    @Option(name: .long, help: help)
    var config: String

    // One flag for each setting is eight screens of help: `serve`, which has use for each, shows them.
    @OptionGroup(title: "Settings, instead of the file's", visibility: .hidden)
    var flags: ConfigurationFlags

    func validate() throws {
        guard !config.isEmpty else { throw ValidationError("--config is the path of a file, offer-signer.yaml.") }
    }

    var source: ConfigurationSource {
        ConfigurationSource(file: config, flags: flags.values, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the apps of the catalog, and none of the files that it names; exit 78 as ``load(logsWarnings:checking:usesTokens:)``.
    func loadApps() throws(ExitCode) -> [AppSettings] {
        try tellingFaults { () throws(ConfigurationFaults) in try Settings.loadApps(source) }
    }

    /// Reads the apps of another catalog, without its keys; exit 78 as ``load(logsWarnings:checking:usesTokens:)``.
    func loadApps(ofCatalog path: String, hasNotifications: Bool) throws(ExitCode) -> [AppSettings] {
        let source = source
        let directory = ConfigurationDirectory(of: source.file, environment: source.environment)
        return try tellingFaults { () throws(ConfigurationFaults) in
            try Settings.loadApps(ofCatalog: path, in: directory, hasNotifications: hasNotifications)
        }
    }

    /// Reads the configuration and loads the keys.
    ///
    /// Exit 78, with every fault on standard error, also when the system cannot keep keys safe.
    /// Of a service, faults are in the format that was chosen for its log.
    func load(
        logsWarnings: Bool = true,
        checking ledger: LedgerFileCheck? = nil,
        usesTokens: Bool = true
    ) throws(ExitCode) -> LoadedService {
        let service = try tellingFaults(isService: ledger == .atStart) { () throws(ConfigurationFaults) in
            try LoadedService(source, checking: ledger, usesTokens: usesTokens)
        }
        if logsWarnings {
            for warning in service.settings.warnings { Console.message("warning: \(warning)") }
        }
        return service
    }

    private func tellingFaults<Value>(
        isService: Bool = false,
        _ load: () throws(ConfigurationFaults) -> Value
    ) throws(ExitCode) -> Value {
        do throws(ConfigurationFaults) {
            return try load()
        } catch {
            if isService { Console.speak(as: LogOutput(format: error.logFormat)) }
            for fault in error.faults { Console.message("error: \(fault)") }
            throw .badConfiguration
        }
    }

    /// The settings for a command that signs nothing: it needs no token, and tries no PIN.
    func settings() throws(ExitCode) -> Settings { try load(usesTokens: false).settings }
}

/// The sources of the configuration, which stay the same as long as the process runs.
struct ConfigurationSource: Sendable {
    let file: String
    /// Settings from the command line, by key path.
    let flags: [String: String]
    let environment: [String: String]
}
