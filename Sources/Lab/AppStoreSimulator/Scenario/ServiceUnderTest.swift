import Crypto
import Foundation
import StoreKitConfiguration

/// The configuration of a service that asks the simulator: made beside a new `app-store.yaml`, with a key of its own.
///
/// Nobody but the simulator accepts that key. The client's token is the one of the service's example, which is for the
/// loopback address alone.
struct ServiceUnderTest {
    static let keyIdentifier = "TESTKEY456"

    /// The simulator's directory.
    let directory: URL
    /// Xcode's file, whose offers the service signs in place of those that are built in.
    var storeKitFile: StoreKitFile?

    private var home: URL { directory.appending(path: "service", directoryHint: .isDirectory) }
    private var main: URL { home.appending(path: "offer-signer.yaml") }
    /// The public half of the key, which `app-store.yaml` names.
    static let publicKeyFile = "\(keyIdentifier).pem"

    /// Makes the key, and all but the main file, which needs the simulator's port.
    func make() throws(SimulatorFault) {
        let key = P256.Signing.PrivateKey()
        do {
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try write(Self.publicKeyFile, key.publicKey.pemRepresentation, in: directory)
            try write("SubscriptionKey_\(Self.keyIdentifier).p8", key.pemRepresentation, mode: 0o600)
            let groups = storeKitFile.map(Scenario.catalogGroups) ?? Self.catalogGroups
            try write("catalog.yaml", Self.catalog + "\n" + groups)
            try write("clients.yaml", Self.clients)
        } catch {
            throw SimulatorFault("\(home.path) cannot be written: \(error); name another directory with --directory")
        }
    }

    /// Writes the main file if the rest was made and it is missing; returns its path, or `nil` where there is none.
    func finish(port: Int) -> String? {
        guard FileManager.default.fileExists(atPath: home.appending(path: "catalog.yaml").path) else { return nil }
        if !FileManager.default.fileExists(atPath: main.path) {
            try? write("offer-signer.yaml", Self.main(asking: "http://127.0.0.1:\(port)"))
        }
        return main.path
    }

    private func write(_ name: String, _ text: String, in place: URL? = nil, mode: Int = 0o644) throws {
        let path = (place ?? home).appending(path: name).path
        let content = Data((text.hasSuffix("\n") ? text : text + "\n").utf8)
        guard FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: mode])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
    }

    private static func main(asking address: String) -> String {
        """
        # A service for tests, which asks the stand-in App Store. Made by offer-lab app-store; change it as you like.
        server: { host: 127.0.0.1, port: 8080 }
        admin: { host: 127.0.0.1, port: 9090 }
        catalog: catalog.yaml
        clients: clients.yaml
        appStore:
          verifyReceiptURL: \(address)/verifyReceipt
          sandboxVerifyReceiptURL: \(address)/sandbox/verifyReceipt
          serverAPIURL: \(address)
          sandboxServerAPIURL: \(address)/sandbox
          additionalRoots: [../root.pem]
        """
    }

    private static let catalog = """
        # The offers of the stand-in App Store. The key is for the stand-in alone: Apple accepts it for no app.
        apps:
          - bundleId: com.example.reader
            environments: [Production, Sandbox]
            appStoreCacheSeconds: 0
            keys:
              - id: \(keyIdentifier)
                file: SubscriptionKey_\(keyIdentifier).p8
                issuerId: 57246542-96fe-1a63-e053-0824d011072a
            subscriptionGroups:
        """

    private static let catalogGroups = """
              - id: "20900001"
                products:
                  - id: com.example.reader.pro.monthly
                    offers: [{ id: comeback50, audience: [lapsed], maxRedemptions: 1 }, { id: stay30 }]
                  - { id: com.example.reader.pro.yearly, offers: [{ id: loyal20 }, { id: winter2026 }] }
              - id: "20900002"
                products:
                  - { id: com.example.reader.audio.monthly, offers: [{ id: audio-comeback, audience: [lapsed] }] }
                  - { id: com.example.reader.audio.yearly, offers: [{ id: audio-loyal }] }
        """

    private static let clients = """
        # The token is demo-token-for-loopback-only. Everyone knows it, so it works only on a loopback address.
        clients:
          - name: test-backend
            tokenSHA256: "a2eb0cb85028ab838f872cd9f62a032fe4cf601e62117adad71c360d3b3481e6"
            apps: [com.example.reader]
            evidence: [receiptResponse, receipt, signedTransactions, transactionId]
        """
}
