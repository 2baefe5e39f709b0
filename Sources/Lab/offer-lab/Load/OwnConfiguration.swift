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
    let token: String
    let simulator: URL
    /// The file of the first key of the app.
    let keyFile: String

    let keyIdentifier: String
    let directory: URL
    /// The URL of the ledger that was named; `nil` for a file of the run's own.
    let ledger: String?
    let main: Node
    let catalog: Node
    /// The apps, the one that is asked for first.
    let apps: [App]

    struct App {
        let bundleId: String
        let groups: [(id: String, products: [String])]
    }

    /// Reads the original, and makes and fills the directory.
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

/// Writing the files that the service and the simulator of a measurement read.
extension OwnConfiguration {
    private static let evidence = ["receiptResponse", "receipt", "signedTransactions", "transactionId"]

    /// Writes what the simulator knows: the apps, and customers of three states for each product of the first, a hundred
    /// of each state.
    func writeScenario(publicKey: String) throws(OwnServiceFault) {
        let states = ["lapsed", "activeAutoRenewOff", "active"]
        let products = apps[0].groups.flatMap(\.products)
        let customers = products.enumerated().flatMap { index, product in
            states.map { state -> [String: Any] in
                [
                    "name": "\(state)-\(index)", "count": max(1, 100 / products.count), "bundleId": apps[0].bundleId,
                    "subscriptions": [["product": product, "state": state]],
                ]
            }
        }
        let all = apps.map { app -> [String: Any] in
            let keys = app.bundleId == apps[0].bundleId ? [["id": keyIdentifier, "publicKey": publicKey]] : []
            let groups = app.groups.map { group -> [String: Any] in
                ["id": group.id, "products": group.products.map { ["id": $0] }]
            }
            return ["bundleId": app.bundleId, "keys": keys, "gracePeriodDays": 16, "subscriptionGroups": groups]
        }
        try write(["apps": all, "customers": customers], to: simulator.appending(path: "app-store.yaml"))
    }

    /// The customers of retention calls: some with each product of the first app.
    var retention: RetentionCustomers {
        let app = catalog["apps"]?.sequence?.first { $0["bundleId"]?.string == apps[0].bundleId }
        return RetentionCustomers(
            bundleId: apps[0].bundleId,
            appAppleId: app?["appAppleId"]?.int.map(Int64.init) ?? Self.someAppAppleId,
            productIds: apps[0].groups.flatMap(\.products)
        )
    }

    private static let someAppAppleId: Int64 = 1_234_567_890

    /// The rules for an app that has none: each product's offers, those without a cap on signatures first, then a message.
    private func retentionRules(of app: Node) -> Node {
        let message = "message"
        var rules: [Node] = []
        for group in app["subscriptionGroups"]?.sequence.map(Array.init) ?? [] {
            for product in group["products"]?.sequence.map(Array.init) ?? [] {
                let offers = product["offers"]?.sequence.map(Array.init) ?? []
                let capped = offers.filter { $0["maximumSignaturesPerCustomer"] != nil }
                for offer in offers.filter({ $0["maximumSignaturesPerCustomer"] == nil }) + capped {
                    guard let productId = product["id"], let offerId = offer["id"] else { continue }
                    var rule = Self.mapping(["message": message])
                    rule["products"] = Node.sequence([productId])
                    rule["offer"] = offerId
                    rules.append(rule)
                }
            }
        }
        var retention = Self.mapping([:])
        var messages = Self.mapping([:])
        messages[Node(message)] = Self.mapping(["default": "00000000-0000-4000-8000-000000000001"])
        retention["messages"] = messages
        retention["rules"] = Node.sequence(Node.Sequence(rules + [Self.mapping(["message": message])]))
        return retention
    }

    /// As many offers may wait as the run asks for at once, unless the original says a number.
    func writeConfiguration(
        simulator url: String,
        offersAtOnce: Int,
        retention: RetentionCustomers?
    ) throws(OwnServiceFault) -> URL {
        var (main, catalog) = (main, catalog)
        var server = main["server"] ?? Self.mapping([:])
        var limits = server["limits"] ?? Self.mapping([:])
        if offersAtOnce > 1408, limits["maximumWaitingOffers"] == nil {
            limits["maximumWaitingOffers"] = Node(String(offersAtOnce))
        }
        server["limits"] = limits
        main["server"] = server
        let names = ["catalog": "load-catalog.yaml", "clients": "load-clients.yaml"]
        for (key, name) in names { main[Node(key)] = Node(name) }
        // Whatever the original's database is, a measurement writes nothing into it. The keys are the run's own, too.
        var settings = ["url": ledger ?? "sqlite:" + directory.appending(path: "load-ledger.sqlite").path]
        if ledger != nil {
            settings["digestKeyFile"] = "load-digest.key"
            settings["checkpointKeyFile"] = "load-checkpoint.p8"
            try write(to: directory.appending(path: "load-digest.key")) { Data(token.utf8) }
            let key = P256.Signing.PrivateKey().pemRepresentation
            try write(to: directory.appending(path: "load-checkpoint.p8")) { Data(key.utf8) }
        }
        main["ledger"] = Self.mapping(settings)
        let addresses = [
            "verifyReceiptURL": "\(url)/verifyReceipt", "sandboxVerifyReceiptURL": "\(url)/sandbox/verifyReceipt",
            "serverAPIURL": url, "sandboxServerAPIURL": "\(url)/sandbox", "requestsPerSecond": "100000",
        ]
        var appStore = Self.mapping(addresses)
        appStore["additionalRoots"] = Node.sequence([Node(simulator.appending(path: "root.pem").path)])
        main["appStore"] = appStore
        if main["notifications"] != nil { main["notifications"]?["port"] = Node("0") }
        if retention != nil { main["notifications"] = Self.mapping(["host": "127.0.0.1", "port": "0"]) }

        // The credentials for the App Store Server API and verifyReceipt, for a catalog that has none.
        for index in 0..<(catalog["apps"]?.sequence?.count ?? 0) {
            guard var app = catalog["apps"]?.sequence?[index], var key = app["keys"]?.sequence?.first else { continue }
            if key["issuerId"] == nil { key["issuerId"] = Node("57246542-96fe-1a63-e053-0824d011072a") }
            app["keys"]?.sequence?[0] = key
            if app["sharedSecretFile"] == nil { app["sharedSecretFile"] = Node("load.secret") }
            if let retention, app["bundleId"]?.string == retention.bundleId {
                app["appAppleId"] = Node(String(retention.appAppleId))
                if app["retention"] == nil { app["retention"] = retentionRules(of: app) }
            }
            catalog["apps"]?.sequence?[index] = app
        }
        let client: [String: Any] = [
            "name": "load", "tokenSHA256": SHA256.hash(data: Data(token.utf8)).hexadecimal,
            "apps": apps.map(\.bundleId), "evidence": Self.evidence,
        ]
        try write(to: directory.appending(path: "load.secret")) { Data("load\n".utf8) }
        try write(["clients": [client]], to: directory.appending(path: "load-clients.yaml"))
        let file = directory.appending(path: "load.yaml")
        try write(to: directory.appending(path: "load-catalog.yaml")) { Data(try Yams.serialize(node: catalog).utf8) }
        try write(to: file) { Data(try Yams.serialize(node: main).utf8) }
        return file
    }

    private static func mapping(_ members: [String: String]) -> Node {
        .mapping(Node.Mapping(members.sorted { $0.key < $1.key }.map { (Node($0), Node($1)) }))
    }

    /// JSON is YAML, and needs no thought about quotation marks.
    private func write(_ yaml: [String: Any], to file: URL) throws(OwnServiceFault) {
        try write(to: file) { try JSONSerialization.data(withJSONObject: yaml) }
    }

    private func write(to file: URL, _ content: () throws -> Data) throws(OwnServiceFault) {
        do {
            try content().write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            throw OwnServiceFault("\(file.path) cannot be written: \(error)")
        }
    }
}
