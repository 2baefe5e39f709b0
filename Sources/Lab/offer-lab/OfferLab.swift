import AppStoreSimulator
import ArgumentParser
import Foundation
import Logging
import StoreKitConfiguration

/// The command line of what is for tests and load: nothing of it is in the service's executable, and no signing key of the
/// service comes into it.
@main
struct OfferLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer-lab",
        abstract: "Plays the App Store for a service under test, and measures a service under load.",
        discussion: "Exit status: 0 fine, 1 the work failed, 64 bad usage, 78 bad configuration.",
        // The service's: a test holds the two together.
        version: "0.4.0",
        subcommands: [AppStore.self, Load.self]
    )

    static func main() async {
        guard CommandLine.argc > 0 else {
            // It would show its help, and end with exit status 0.
            Console.message(
                "error: the command line cannot be read: a library of LD_PRELOAD has changed the environment before the "
                    + "program began, where Swift looks for its arguments (start it without LD_PRELOAD); or /proc is not "
                    + "mounted, and has to be"
            )
            Self.exit(withError: ExitCode.validationFailure)
        }
        await main(nil)
    }
}

/// The output of a command: results on standard output, everything else on standard error.
enum Console {
    /// Writes a result; exit 1 when it cannot be written, as to a full disk.
    static func result(_ text: String) throws(ExitCode) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            message("error: standard output cannot be written: \(error)")
            throw .failure
        }
    }

    static func message(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h: the configuration cannot be used.
    static let badConfiguration = ExitCode(78)
}

/// `offer-lab app-store`: a stand-in App Store, until SIGTERM or SIGINT.
struct AppStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-store",
        abstract: "Runs a stand-in App Store for tests, on the loopback address.",
        discussion: """
            It answers verifyReceipt and the App Store Server API, plays StoreKit's part in purchases, and sends \
            notifications. The first start writes app-store.yaml, with its customers, into the directory, the \
            certificates that it signs with, and the configuration of a service that asks it, with a key for tests. List root.pem of the directory in appStore.additionalRoots of the service \
            under test, and of no other service. With --storekit, the products and offers are those of Xcode's file.
            """
    )

    @Option(help: .init("The port to listen on; 0 for any free one.", valueName: "n"))
    var port = 8090

    @Option(help: .init("The directory of its certificates and customers. Default: a temporary one.", valueName: "d"))
    var directory: String?

    @Option(help: .init("Xcode's StoreKit configuration file: its products and offers are played.", valueName: "file"))
    var storekit: String?

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run() async throws {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let temporary = FileManager.default.temporaryDirectory.appending(path: "app-store-\(UUID().uuidString)")
        let home = directory.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? temporary
        defer { if directory == nil { try? FileManager.default.removeItem(at: home) } }
        let store: SimulatedAppStore
        do throws(SimulatorFault) {
            store = try SimulatedAppStore(directory: home, storeKitFile: try storekit.map(storeKitFile))
        } catch {
            Console.message("error: \(error)")
            throw ExitCode.badConfiguration
        }
        let root = store.rootPEM.path
        do throws(SimulatorFault) {
            try await store.run(host: "127.0.0.1", port: port) { port in
                let address = "http://127.0.0.1:\(port), root \(root)"
                try? Console.result("offer-lab plays the App Store at \(address)")
                guard directory != nil, let service = SimulatedAppStore.service(in: home, port: port) else { return }
                Console.message("a service that asks it: offer-signer serve --config \(service)")
            }
        } catch {
            Console.message("error: \(error)")
            throw ExitCode.failure
        }
    }

    private func storeKitFile(_ path: String) throws(SimulatorFault) -> StoreKitFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SimulatorFault("\(path) cannot be read; name Xcode's StoreKit configuration file")
        }
        do throws(StoreKitFileFault) {
            return try StoreKitFile(json: data)
        } catch {
            throw SimulatorFault("\(path): \(error.place.isEmpty ? "the file" : error.place) \(error.detail)")
        }
    }
}
