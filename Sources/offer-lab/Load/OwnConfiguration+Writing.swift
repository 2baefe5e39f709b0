import Crypto
import Foundation
import StrictJSON
import Yams

/// What the service and the simulator of a measurement read.
extension OwnConfiguration {
    private static let evidence = ["receiptResponse", "receipt", "signedTransactions", "transactionId"]

    /// Writes what the simulator knows: the apps, and customers of three states for each product of the first, a hundred
    /// of each state.
    ///
    /// - Parameter publicKey: The public half of the first app's first key, PEM, by which the service is known to the App Store.
    /// - Throws: ``OwnServiceFault`` when it cannot be written.
    func writeScenario(publicKey: String) throws(OwnServiceFault) {
        let states = ["lapsed", "activeAutoRenewOff", "active"]
        let products = apps[0].groups.flatMap(\.products)
        let count = max(1, 100 / max(1, products.count))
        var json = JSONWriter()
        json.object { file in
            file.member("apps")
            file.array { list in for app in apps { list.object { write(app, publicKey, into: &$0) } } }
            file.member("customers")
            file.array { list in
                for (index, product) in products.enumerated() {
                    for state in states {
                        list.object { customer in
                            customer.member("name", "\(state)-\(index)")
                            customer.member("count", Int64(count))
                            customer.member("bundleId", apps[0].bundleId)
                            customer.member("subscriptions")
                            customer.array { list in
                                list.object { subscription in
                                    subscription.member("product", product)
                                    subscription.member("state", state)
                                }
                            }
                        }
                    }
                }
            }
        }
        // JSON is YAML, and needs no thought about quotation marks.
        try write(json.bytes, to: simulator.appending(path: "app-store.yaml"))
    }

    /// Writes the service's configuration.
    ///
    /// - Parameter url: Where the simulator listens.
    /// - Returns: The file.
    /// - Throws: ``OwnServiceFault`` when it cannot be written.
    func writeConfiguration(simulator url: String) throws(OwnServiceFault) -> URL {
        var (main, catalog) = (main, catalog)
        let names = ["catalog": "load-catalog.yaml", "clients": "load-clients.yaml"]
        for (key, name) in names { main[Node(key)] = Node(name) }
        // Whatever the original's database is, a measurement writes nothing into it. The keys are the run's own, too.
        var settings = ["url": ledger ?? "sqlite:" + directory.appending(path: "load-ledger.sqlite").path]
        if ledger != nil {
            settings["digestKeyFile"] = "load-digest.key"
            settings["checkpointKeyFile"] = "load-checkpoint.p8"
            try write(Array(token.utf8), to: directory.appending(path: "load-digest.key"))
            let key = P256.Signing.PrivateKey().pemRepresentation
            try write(Array(key.utf8), to: directory.appending(path: "load-checkpoint.p8"))
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

        // What the App Store Server API and verifyReceipt are asked with, where the catalog has nothing.
        for index in 0..<(catalog["apps"]?.sequence?.count ?? 0) {
            guard var app = catalog["apps"]?.sequence?[index], var key = app["keys"]?.sequence?.first else { continue }
            if key["issuerId"] == nil { key["issuerId"] = Node("57246542-96fe-1a63-e053-0824d011072a") }
            app["keys"]?.sequence?[0] = key
            if app["sharedSecretFile"] == nil { app["sharedSecretFile"] = Node("load.secret") }
            catalog["apps"]?.sequence?[index] = app
        }
        var clients = JSONWriter()
        clients.object { file in
            file.member("clients")
            file.array { list in
                list.object { client in
                    client.member("name", "load")
                    client.member("tokenSHA256", SHA256.hash(data: Data(token.utf8)).hexadecimal)
                    client.member("apps")
                    client.array { list in for app in apps { list.string(app.bundleId) } }
                    client.member("evidence")
                    client.array { list in for kind in Self.evidence { list.string(kind) } }
                }
            }
        }
        try write(Array("load\n".utf8), to: directory.appending(path: "load.secret"))
        try write(clients.bytes, to: directory.appending(path: "load-clients.yaml"))
        let file = directory.appending(path: "load.yaml")
        do {
            try write(Array(Yams.serialize(node: catalog).utf8), to: directory.appending(path: "load-catalog.yaml"))
            try write(Array(Yams.serialize(node: main).utf8), to: file)
        } catch let error as OwnServiceFault {
            throw error
        } catch {
            throw OwnServiceFault("the configuration cannot be written: \(error)")
        }
        return file
    }

    private static func mapping(_ members: [String: String]) -> Node {
        .mapping(Node.Mapping(members.sorted { $0.key < $1.key }.map { (Node($0), Node($1)) }))
    }

    private func write(_ app: App, _ publicKey: String, into json: inout JSONWriter) {
        json.member("bundleId", app.bundleId)
        if app.bundleId == apps[0].bundleId {
            json.member("keys")
            json.array { list in
                list.object { key in
                    key.member("id", keyIdentifier)
                    key.member("publicKey", publicKey)
                }
            }
        }
        json.member("gracePeriodDays", 16)
        json.member("subscriptionGroups")
        json.array { list in
            for group in app.groups {
                list.object { member in
                    member.member("id", group.id)
                    member.member("products")
                    member.array { list in for product in group.products { list.object { $0.member("id", product) } } }
                }
            }
        }
    }

    private func write(_ bytes: [UInt8], to file: URL) throws(OwnServiceFault) {
        do {
            try Data(bytes).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            throw OwnServiceFault("\(file.path) cannot be written: \(error)")
        }
    }
}
