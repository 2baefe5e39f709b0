import AppStore
import ArgumentParser
import Foundation
import Offers
import StoreKitConfiguration

struct CatalogWrite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Prints a catalog.yaml with an app's products and offers, of App Store Connect or Xcode's file.",
        discussion: """
            With --key it asks App Store Connect. With --storekit it reads Xcode's StoreKit configuration file, and asks \
            nobody. Neither knows audiences and limits: each offer is for lapsed customers, until you change that. Fill in \
            the line of the key that signs; then offer-signer check accepts it.
            """
    )

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @Option(help: ArgumentHelp("Xcode's StoreKit configuration file, in place of --key.", valueName: "file"))
    var storekit: String?

    @Option(
        help: ArgumentHelp(
            "With --storekit: the id that App Store Connect has for a group; once for each group of a local file.",
            valueName: "name=id"
        )
    )
    var groupId: [String] = []

    @OptionGroup var connect: AppStoreConnectOptions

    func validate() throws {
        try Identifier.check(["--bundle-id": bundleId])
        if storekit == nil {
            guard groupId.isEmpty else { throw ValidationError("--group-id belongs to --storekit.") }
            guard connect.key != nil else {
                throw ValidationError("Name either --key, for App Store Connect, or --storekit, for Xcode's file.")
            }
        } else if connect.isNamed {
            throw ValidationError("--storekit asks nobody: leave the options of App Store Connect out.")
        }
        for text in groupId where KnownGroup(text) == nil {
            throw ValidationError("--group-id is NAME=ID, and the ID is digits, as App Store Connect shows it.")
        }
    }

    func run() async throws {
        let day = String(WallClock.now().rfc3339.prefix(10))
        let catalog = if let storekit { try draft(fromFile: storekit) } else { try await draft(on: day) }
        try Console.write(Data(CatalogText(catalog, on: day).text.utf8))
    }

    private func draft(on day: String) async throws -> CatalogDraft {
        let catalog = try await connect.asking { try await AppStoreConnectOptions.catalog(of: bundleId, from: $0) }
        guard let catalog else {
            throw ValueFault(
                "the key's team has no app \(Echo.name(bundleId, orElse: "of this bundle id")); correct it, or take a key "
                    + "of the team that has the app"
            )
        }
        let draft = CatalogDraft(catalog, on: day)
        for note in draft.notes { Console.message(note) }
        return draft
    }

    private func draft(fromFile path: String) throws -> CatalogDraft {
        let file: StoreKitFile
        do {
            file = try StoreKitFile(json: Data(InputFile.bytes(of: path)))
        } catch let fault as StoreKitFileFault {
            let place = fault.place.isEmpty ? "the file" : fault.place
            throw failure("\(Echo.file(path)): \(Echo.visible(place)) \(fault.detail)", .badConfiguration)
        } catch let fault as ValueFault {
            throw failure(fault.message, .badConfiguration)
        }
        var ids: [Int: String] = [:]
        for known in groupId.compactMap(KnownGroup.init) {
            let name = Echo.name(known.name, orElse: "the name of --group-id")
            let places = file.subscriptionGroups.indices.filter { known.names(file.subscriptionGroups[$0]) }
            guard let place = places.first else {
                let names = file.subscriptionGroups.map { $0.name ?? $0.id }
                let hint = Echo.hint(for: known.name, among: names)
                throw failure("--group-id: \(name) is no group of the file; \(hint)")
            }
            guard places.count == 1 else {
                throw failure("--group-id: the file has \(places.count) groups \(name); as NAME, take their ids in it")
            }
            guard ids.updateValue(known.id, forKey: place) == nil else {
                throw failure("--group-id: the group \(name) is named twice")
            }
            guard ids.values.count(where: { $0 == known.id }) == 1 else {
                throw failure("--group-id: two groups have the id \(known.id); each has its own in App Store Connect")
            }
        }
        if file.version.major > StoreKitFile.newestMajor {
            Console.message(
                "warning: the file has version \(file.version.major), which is newer than \(StoreKitFile.newestMajor): look at "
                    + "the result, as something may have another meaning"
            )
        }
        let draft = CatalogDraft(file, bundleId: bundleId, groupIds: ids)
        for note in draft.notes { Console.message(note) }
        return draft
    }

    private func failure(_ text: String, _ status: ExitCode = .validationFailure) -> ExitCode {
        Console.message("error: " + text)
        return status
    }
}

/// A value of `--group-id`: a group of the file, by its name or by its id there, and its id in App Store Connect.
private struct KnownGroup {
    let name: String
    let id: String

    init?(_ text: String) {
        guard let sign = text.lastIndex(of: "=") else { return nil }
        (name, id) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
        guard !name.isEmpty, id.wholeMatch(of: /[0-9]{1,20}/) != nil else { return nil }
    }

    func names(_ group: StoreKitFile.Group) -> Bool {
        group.name?.hasSameBytes(as: name) == true || group.id.hasSameBytes(as: name)
    }
}
