import Crypto
import Foundation
import Yams

extension Sequence<UInt8> {
    /// Two digits a byte, lowercase.
    var hexadecimal: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

/// The configuration of a service that runs for one measurement, made from one that is there.
///
/// Keys, apps and offers are those of the original. Clients and ledger are the run's own, and the App Store is the
/// simulator. Relative paths keep their meaning: the directory has links to everything beside the original.
struct OwnConfiguration {
    /// The token of the one client.
    let token: String
    /// The simulator's directory.
    let simulator: URL
    /// The file of the first key of the app.
    let keyFile: String

    /// The identifier of that key.
    let keyIdentifier: String
    /// The service's directory.
    let directory: URL
    /// The URL of the ledger that was named; `nil` for a file of the run's own.
    let ledger: String?
    /// The original.
    let main: Node
    /// The original's catalog.
    let catalog: Node
    /// The apps, the one that is asked for first.
    let apps: [App]

    /// An app of the catalog.
    struct App {
        let bundleId: String
        let groups: [(id: String, products: [String])]
    }

    /// Reads the original, and fills the directory.
    ///
    /// - Parameters:
    ///   - file: The original, `offer-signer.yaml`.
    ///   - bundleId: The app that is asked for; `nil` for the first.
    ///   - ledger: The URL of the ledger; `nil` for a file in the directory.
    ///   - directory: The directory; it is made.
    /// - Throws: ``OwnServiceFault`` when the original cannot be read.
    init(of file: String, bundleId: String?, ledger: String?, in directory: URL) throws(OwnServiceFault) {
        let original = URL(filePath: file).standardizedFileURL.deletingLastPathComponent()
        self.directory = directory.appending(path: "service", directoryHint: .isDirectory)
        self.ledger = ledger
        simulator = directory.appending(path: "app-store", directoryHint: .isDirectory)
        token = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).hexadecimal }
        main = try Self.read(URL(filePath: file), config: file)
        let path = main["catalog"]?.string ?? ""
        catalog = try Self.read(URL(filePath: path, relativeTo: original), config: file)
        let found = catalog["apps"]?.sequence.map(Array.init) ?? []
        let app = bundleId.map { id in found.first { $0["bundleId"]?.string == id } } ?? found.first
        guard let app, let key = app["keys"]?.sequence?.first?["file"]?.string else {
            throw OwnServiceFault(
                "\(file) has no app \(bundleId ?? "with a key"); offer-signer check --config \(file) says what it has"
            )
        }
        keyFile = URL(filePath: key, relativeTo: original).path
        keyIdentifier = app["keys"]?.sequence?.first?["id"]?.string ?? ""
        // The app that is asked for comes first, and has the customers.
        let others = found.filter { $0["bundleId"] != app["bundleId"] }
        apps = ([app] + others).map { node in
            App(
                bundleId: node["bundleId"]?.string ?? "",
                groups: node["subscriptionGroups"]?.sequence?.map { group in
                    (group["id"]?.string ?? "", group["products"]?.sequence?.compactMap { $0["id"]?.string } ?? [])
                } ?? []
            )
        }
        do {
            let files = FileManager.default
            for directory in [self.directory, simulator] {
                try files.createDirectory(
                    at: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            for name in try files.contentsOfDirectory(atPath: original.path) {
                try files.createSymbolicLink(
                    at: self.directory.appending(path: name),
                    withDestinationURL: original.appending(path: name)
                )
            }
        } catch {
            throw OwnServiceFault("\(directory.path) cannot be filled: \(error)")
        }
    }

    private static func read(_ file: URL, config: String) throws(OwnServiceFault) -> Node {
        do {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            guard let node = try Yams.compose(yaml: text, .basic), node.mapping != nil else {
                throw OwnServiceFault("\(file.path) is no configuration")
            }
            return node
        } catch let error as OwnServiceFault {
            throw error
        } catch {
            throw OwnServiceFault(
                "\(file.path) cannot be read; offer-signer check --config \(config) says what is wrong with it"
            )
        }
    }
}
