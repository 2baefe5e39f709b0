import FakeServer
import Foundation
import SignedDataFixtures

extension Installation {
    /// An installation that asks a server of the test instead of Apple, and trusts the test's authority.
    ///
    /// - Parameters:
    ///   - server: What stands for all of Apple's services.
    ///   - authority: Whose root is trusted.
    ///   - app: More lines for the app in the catalog.
    /// - Throws: The error of writing its files.
    init(asking server: FakeServer, trusting authority: TestAuthority, app: String = "") throws {
        try self.init()
        try directory.write("root.pem", authority.rootPEM)
        try directory.write("shared.secret", "hunter2\n")
        try directory.write(
            "offer-signer.yaml",
            """
            server: { host: 127.0.0.1, port: 0 }
            admin: { host: 127.0.0.1, port: 0 }
            catalog: catalog.yaml
            clients: clients.yaml
            appStore:
              verifyReceiptURL: \(server.url)/production/verifyReceipt
              sandboxVerifyReceiptURL: \(server.url)/sandbox/verifyReceipt
              serverAPIURL: \(server.url)/production
              sandboxServerAPIURL: \(server.url)/sandbox
              timeoutSeconds: 2
              additionalRoots: [root.pem]
            """
        )
        let catalog = try String(contentsOf: directory.url.appending(path: "catalog.yaml"), encoding: .utf8)
        try directory.write(
            "catalog.yaml",
            catalog.replacing(
                "id: TESTKEY001,",
                with: "id: TESTKEY001, issuerId: 57246542-96fe-1a63-e053-0824d011072a,"
            ).replacing(
                "    keys:",
                with: "    environments: [Production, Sandbox]\n    sharedSecretFile: shared.secret\n\(app)    keys:"
            )
        )
    }
}
