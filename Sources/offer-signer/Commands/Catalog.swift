import AppStore
import ArgumentParser
import Foundation
import Offers
import SubscriptionKeys

struct Catalog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Writes a catalog, compares one with App Store Connect, or tries what another one would decide.",
        subcommands: [CatalogWrite.self, CatalogCompare.self, CatalogTry.self]
    )

    func run() throws { throw Self.subcommandMissing() }
}

/// The key of App Store Connect, which the service never has.
struct AppStoreConnectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A key of the App Store Connect API with the role App Manager, AuthKey_<id>.p8: another one than the key "
                + "that signs.",
            valueName: "file"
        )
    )
    var key: String?

    @Option(help: ArgumentHelp("The issuer id above the team's keys; an individual key has none.", valueName: "uuid"))
    var issuerId: String?

    @Option(
        name: .customLong("app-store-connect-url"),
        help: ArgumentHelp("The address of App Store Connect, for tests.", valueName: "url")
    )
    var address = AppStoreConnect.address

    /// Whether any of these options is given.
    var isNamed: Bool { key != nil || issuerId != nil || address != AppStoreConnect.address }

    func validate() throws {
        let values: [(option: String, text: String?, kind: ValueKind<String>)] = [
            ("--key", key, .file), ("--issuer-id", issuerId, .issuerId),
            ("--app-store-connect-url", address, .url),
        ]
        for value in values {
            do throws(ValueFault) {
                if let text = value.text { _ = try value.kind.parse(text) }
            } catch {
                throw ValidationError("\(value.option) \(error.message).")
            }
        }
    }

    /// Asks App Store Connect with the key, which the key room holds.
    func asking<Answer>(_ work: (AppStoreConnect) async throws -> Answer) async throws -> Answer {
        let key = try loadedKey()
        let transport = AsyncHTTPTransport()
        let connect = AppStoreConnect(
            key: key,
            issuerId: issuerId,
            address: address,
            transport: transport,
            now: WallClock.now,
            wait: { seconds, reason in
                Console.progress("")
                Console.message("waiting \(seconds) s: \(reason)")
                try await Task.sleep(for: .seconds(seconds))
            }
        )
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await work(connect))
        } catch {
            answer = .failure(error)
        }
        Console.progress("")
        await transport.shutdown()
        return try answer.get()
    }

    private func loadedKey() throws(ValueFault) -> SigningKey {
        let directory = ConfigurationDirectory(of: "", environment: ProcessInfo.processInfo.environment)
        guard let key else { throw ValueFault("no --key is named") }
        guard let name = KeyFileName(path: key) else {
            throw ValueFault(
                "\(Echo.path(key)) is not named AuthKey_<id>.p8, which tells the key's id; name it as it was downloaded"
            )
        }
        guard name.kind == .appStoreConnect else {
            throw ValueFault(
                "\(Echo.path(key)) is an In-App Purchase key, which signs offers and does not work here; make a key of "
                    + "the App Store Connect API with the role App Manager: Users and Access, Integrations, App Store "
                    + "Connect API"
            )
        }
        do throws(KeyError) {
            _ = try SecureHeap.initialize()
            let access: FileAccess = directory.isCredential(key) ? .groupReadable : .ownerOnly
            return try SigningKey(contentsOf: key, keyIdentifier: name.keyIdentifier, access: access)
        } catch {
            throw ValueFault("\(error)")
        }
    }

    /// Reads an app's subscriptions; `nil` where the key's team has no such app.
    static func catalog(of bundleId: String, from connect: AppStoreConnect) async throws -> ConnectCatalog? {
        Console.progress("reading \(bundleId)")
        return try await connect.catalog(of: bundleId) { group, groups in
            Console.progress("reading \(bundleId): subscription group \(group) of \(groups)")
        }
    }
}
