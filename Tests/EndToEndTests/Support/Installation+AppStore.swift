import FakeServer
import Foundation
import SignedDataFixtures

extension Installation {
    /// An installation that asks a server of the test instead of Apple, and trusts the test's authority.
    init(asking server: FakeServer, trusting authority: TestAuthority) throws {
        try self.init()
        try directory.write("root.pem", authority.rootPEM)
        try directory.write("shared.secret", "hunter2\n")
        try configure(
            """
            appStore:
              verifyReceiptURL: \(server.url)/production/verifyReceipt
              sandboxVerifyReceiptURL: \(server.url)/sandbox/verifyReceipt
              serverAPIURL: \(server.url)/production
              sandboxServerAPIURL: \(server.url)/sandbox
              timeoutSeconds: 2
              additionalRoots: [root.pem]
            """
        )
        try nameIssuer()
        let more = "    environments: [Production, Sandbox]\n    sharedSecretFile: shared.secret\n"
        try edit("catalog.yaml", "    keys:", more + "    keys:")
    }

    /// Gives the catalog's key its issuer, without which the App Store Server API is not asked.
    func nameIssuer() throws {
        try edit("catalog.yaml", "id: TESTKEY001,", "id: TESTKEY001, issuerId: \(RunningAppStore.issuerId),")
    }

    /// Has the service ask a stand-in App Store, and trust it, with more lines for the main file and for the app.
    func ask(_ appStore: RunningAppStore, settings: String = "", app: String = "", products: String) throws {
        let url = "http://127.0.0.1:\(appStore.address.port)"
        try configure(
            """
            appStore:
              verifyReceiptURL: \(url)/verifyReceipt
              sandboxVerifyReceiptURL: \(url)/sandbox/verifyReceipt
              serverAPIURL: \(url)
              sandboxServerAPIURL: \(url)/sandbox
              additionalRoots: [\(appStore.root)]
            \(settings)
            """,
            anew: true
        )
        try directory.write(
            "catalog.yaml",
            """
            apps:
              - bundleId: \(Self.bundleId)
                keys: [{ id: TESTKEY001, issuerId: \(RunningAppStore.issuerId), file: SubscriptionKey_TESTKEY001.p8 }]
                subscriptionGroups: [{ id: "20900001", products: [\(products)] }]
            \(app)
            """
        )
    }
}
