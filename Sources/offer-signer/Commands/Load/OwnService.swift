import Foundation
import LoadGenerator
import SubscriptionKeys

/// A service and an App Store simulator that run for one measurement, on free ports, with their files in a temporary
/// directory.
final class OwnService: Sendable {
    /// What load is put on.
    let target: LoadTarget

    private let directory: URL
    private let programs: [StartedProgram]

    /// Starts both, from this executable.
    ///
    /// - Parameters:
    ///   - configuration: The configuration that the service's is made from.
    ///   - bundleId: The app whose customers the simulator has; `nil` for the first.
    ///   - customers: How many customers are wanted.
    ///   - checker: What signatures are checked with; `nil` for the public half of the app's first key.
    /// - Throws: ``OwnServiceFault``; nothing is left running, and no file is left, then.
    init(
        configuration: String,
        bundleId: String?,
        customers: Int,
        checker: SignatureChecker?
    ) async throws(OwnServiceFault) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "offer-signer-load-\(UUID().uuidString)")
        var programs: [StartedProgram] = []
        do throws(OwnServiceFault) {
            let own = try OwnConfiguration(of: configuration, bundleId: bundleId, in: directory)
            let publicKey = try Self.publicKey(own.keyFile)
            try own.writeScenario(customers: customers, publicKey: publicKey)
            let simulator = try StartedProgram(["simulate-app-store", "--port", "0", "--directory", own.simulator.path])
            programs.append(simulator)
            let simulatorURL = try await simulator.firstURL()
            let file = try own.writeConfiguration(simulator: simulatorURL)
            let flags = ["--server-host", "127.0.0.1", "--server-port", "0", "--admin-host", "127.0.0.1"]
            let service = try StartedProgram(["serve", "--config", file.path] + flags + ["--admin-port", "0"])
            programs.append(service)
            let url = try await service.firstURL()
            guard let address = try? ServiceAddress(url), let simulatorAddress = try? ServiceAddress(simulatorURL)
            else {
                throw OwnServiceFault("\(url) and \(simulatorURL) are no addresses")
            }
            target = LoadTarget(
                address: address,
                token: own.token,
                simulator: simulatorAddress,
                checker: checker ?? SignatureChecker(spki: publicKey),
                processes: [service.process]
            )
        } catch {
            for program in programs { program.stop() }
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
        self.directory = directory
        self.programs = programs
    }

    /// Stops both, and removes their files.
    func stop() {
        for program in programs.reversed() { program.stop() }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The public half of the key as a SubjectPublicKeyInfo, which the room of the private ones gives away.
    private static func publicKey(_ file: String) throws(OwnServiceFault) -> [UInt8] {
        do {
            try SecureHeap.initialize()
            return try SigningKey(contentsOf: file, keyIdentifier: file, access: .groupReadable).publicKeySPKI
        } catch {
            throw OwnServiceFault("\(error)")
        }
    }
}
