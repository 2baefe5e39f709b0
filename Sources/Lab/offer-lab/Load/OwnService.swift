import AppStoreSimulator
import Foundation
import LoadGenerator

/// Why a service of one's own could not be started.
struct OwnServiceFault: Error, CustomStringConvertible {
    let description: String
    /// Whether it is what `offer-signer check` says of the configuration.
    var isOfConfiguration = false

    init(_ description: String, isOfConfiguration: Bool = false) {
        self.description = description
        self.isOfConfiguration = isOfConfiguration
    }
}

/// A service and an App Store simulator that run for one measurement, on free ports, with their files in a temporary
/// directory.
final class OwnService: Sendable {
    let target: LoadTarget

    private let directory: URL
    private let programs: [StartedProgram]

    /// Starts both, the service by the executable beside this one unless another is named.
    ///
    /// After a fault, nothing is left running, and no file is left.
    init(
        _ service: String?,
        configuration: String,
        bundleId: String?,
        ledger: String?,
        offersAtOnce: Int,
        forRetention: Bool,
        checker: SignatureChecker?
    ) async throws(OwnServiceFault) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "offer-signer-load-\(UUID().uuidString)")
        // This one plays the App Store.
        let lab = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "offer-lab"
        let executable = service ?? URL(filePath: lab).deletingLastPathComponent().appending(path: "offer-signer").path
        var programs: [StartedProgram] = []
        do throws(OwnServiceFault) {
            try await Self.check(configuration, executable, in: directory)
            let own = try OwnConfiguration(of: configuration, bundleId: bundleId, ledger: ledger, in: directory)
            let inspection = try StartedProgram(executable, ["keys", "inspect", "--public-key", own.keyFile])
            let (_, publicKey, errors) = try await inspection.end()
            guard let ownChecker = SignatureChecker(pem: publicKey) else {
                throw OwnServiceFault("\(executable) printed no public key of \(own.keyFile)\n\(errors)")
            }
            try own.writeScenario(publicKey: publicKey)
            let simulator = try StartedProgram(
                lab,
                ["app-store", "--port", "0", "--directory", own.simulator.path]
            )
            programs.append(simulator)
            let simulatorURL = try await simulator.firstURL()
            let signer = try Self.signer(own.simulator)
            let retention = forRetention ? own.retention : nil
            let file = try own.writeConfiguration(
                simulator: simulatorURL,
                offersAtOnce: offersAtOnce,
                retention: retention
            )
            let service = try StartedProgram(
                executable,
                ["serve", "--config", file.path, "--server-port", "0", "--admin-port", "0"] + Self.loopback
            )
            programs.append(service)
            let url = try await service.firstURL(after: forRetention ? "notifications " : nil)
            guard let address = try? ServiceAddress(url), let simulatorAddress = try? ServiceAddress(simulatorURL)
            else {
                throw OwnServiceFault("\(url) and \(simulatorURL) are no addresses")
            }
            target = LoadTarget(
                address: address,
                token: own.token,
                simulator: simulatorAddress,
                signer: signer,
                checker: checker ?? ownChecker,
                processes: [service.process],
                retention: retention
            )
        } catch {
            for program in programs { program.stop() }
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
        self.directory = directory
        self.programs = programs
    }

    func stop() {
        for program in programs.reversed() { program.stop() }
        try? FileManager.default.removeItem(at: directory)
    }

    private static func signer(_ directory: URL) throws(OwnServiceFault) -> AppStoreSigner {
        do throws(SimulatorFault) {
            return try AppStoreSigner(directory: directory)
        } catch {
            throw OwnServiceFault(error.description)
        }
    }

    /// The addresses of the run's own service, which others cannot reach.
    private static let loopback = ["--server-host", "127.0.0.1", "--admin-host", "127.0.0.1"]

    /// Has the configuration read by the service itself: its faults name its own files, and not those that are
    /// made of it for the run.
    private static func check(
        _ configuration: String,
        _ service: String,
        in directory: URL
    ) async throws(OwnServiceFault) {
        // The run has a ledger of its own, which is still to be made.
        let ledger = "sqlite:\(directory.path).sqlite"
        let program = try StartedProgram(
            service,
            ["check", "--config", configuration, "--ledger-url", ledger] + loopback
        )
        let (status, _, errors) = try await program.end()
        guard status != 0 else { return }
        throw OwnServiceFault(errors.trimmingCharacters(in: .newlines), isOfConfiguration: status == 78)
    }
}
