import ArgumentParser
import Foundation

/// The options of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The configuration, offer-signer.yaml.", valueName: "file"))
    var config: String

    @OptionGroup(title: "Settings, instead of the file's")
    var flags: ConfigurationFlags

    func validate() throws {
        guard !config.isEmpty else { throw ValidationError("--config is the path of a file, offer-signer.yaml.") }
    }

    /// Where the configuration comes from.
    var source: ConfigurationSource {
        ConfigurationSource(file: config, flags: flags.values, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the configuration and all that it names, and loads the keys.
    ///
    /// Every fault is written to standard error.
    ///
    /// - Parameter logsWarnings: Whether every warning is, too.
    /// - Returns: The service, ready to be used.
    /// - Throws: Exit 78 when anything is at fault, also when the system cannot keep keys safe.
    func load(logsWarnings: Bool = true) throws(ExitCode) -> LoadedService {
        do throws(ConfigurationFaults) {
            let service = try source.load()
            if logsWarnings {
                for warning in service.warnings { Console.message("warning: \(warning)") }
            }
            return service
        } catch {
            for fault in error.faults { Console.message("error: \(fault)") }
            throw .badConfiguration
        }
    }
}
