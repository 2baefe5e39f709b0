import ChildProcess
import Foundation
import Testing

@Suite("The catalog from Xcode's StoreKit configuration file")
struct CatalogFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/storekit")

    private let installation: Installation

    init() throws { installation = try Installation() }

    private static func path(_ name: String) -> String { folder.appending(path: "\(name).storekit").path }

    private func write(_ file: String, _ arguments: String...) throws -> ChildProcess.Outcome {
        let all = ["catalog", "write", "--bundle-id", Installation.bundleId, "--storekit", file]
        return try Executable.run(all + arguments)
    }

    /// Puts a written catalog with the test's key in the place of the installation's.
    private func install(_ catalog: String) throws {
        try installation.directory.write("catalog.yaml", catalog.replacing("KEY_ID", with: "TESTKEY001"))
    }

    /// A copy of a file with one text of it replaced.
    private func copy(_ name: String, _ old: String, _ new: String) throws -> String {
        let text = try String(contentsOfFile: Self.path(name), encoding: .utf8)
        try #require(text.contains(old))
        try installation.directory.write("copy.storekit", text.replacing(old, with: new, maxReplacements: 1))
        return installation.directory.path("copy.storekit")
    }

    @Test("A synchronised file gives a catalog that is accepted once the key is in it")
    func synchronised() throws {
        let written = try write(Self.path("synchronised"))
        #expect(written.status == 0, "\(written.errors)")
        for text in [
            "appAppleId: 6500000001", "- id: \"21400001\"   # Main", "2026-04-16T02:40:00", "level: 1", "period: P1M",
            "# Half, payAsYouGo, 2 times P1M, price 1.49", "- { id: return }", "products: []",
            "1 introductory offer", "audience: [lapsed]",
        ] { #expect(written.text.contains(text), "\(text) is not in \(written.text)") }
        #expect(!written.text.contains("GROUP_ID") && !written.text.contains("subscriptionOffersKeyPair"))
        try install(written.text)
        let check = try installation.check()
        #expect(check.status == 0 && check.text.contains("1 product, 1 offer"), "\(check.errors)\(check.text)")
    }

    @Test("The groups of a local file are refused by check until --group-id names them; equal levels stay equal")
    func local() throws {
        let written = try write(Self.path("local"))
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.text.ranges(of: "- id: GROUP_ID").count == 2 && written.text.contains("# appAppleId:"))
        #expect(written.text.ranges(of: "level: 1\n").count == 3 && written.text.ranges(of: "level: 2\n").count == 1)
        #expect(written.text.contains("# Free month, free, P1M\n"), "\(written.text)")
        #expect(written.text.contains("1 introductory offer, 1 offer code."))
        try install(written.text)
        let refused = try installation.check()
        #expect(refused.status == 78 && refused.errors.ranges(of: "--group-id").count == 2, "\(refused.errors)")
        let named = try write(Self.path("local"), "--group-id", "Pro=21400001", "--group-id", "70A1B2D4=21400002")
        #expect(named.status == 0 && !named.text.contains("GROUP_ID"), "\(named.errors)")
        try install(named.text)
        let check = try installation.check()
        #expect(check.status == 0 && check.text.contains("4 products, 3 offers"), "\(check.errors)\(check.text)")
    }

    @Test("Xcode's own key is said to be there, and nothing of it is printed, also by a fault in it")
    func keyPair() throws {
        let broken = try copy("local", "\"privateKey\": \"bm90", "\"privateKey\": bm90")
        for file in [Self.path("local"), broken] {
            let written = try write(file)
            let output = written.text + written.errors
            for secret in ["7AC0FFEE", "bm90", "privateKey"] { #expect(!output.contains(secret), "\(output)") }
            #expect(written.status == (file == broken ? 78 : 0))
        }
        let written = try write(Self.path("local"))
        #expect(written.text.contains("subscriptionOffersKeyPair") && written.text.contains("no key of this catalog"))
        #expect(written.errors.contains("subscriptionOffersKeyPair"))
    }

    @Test("A file of another form is exit 78 with the place, a newer one a warning, and what cannot be meant exit 64")
    func refused() throws {
        let shape = try write(copy("local", "\"payUpFront\"", "\"later\""))
        let place = "/subscriptionGroups/0/subscriptions/0/adHocOffers/0/paymentMode"
        #expect(shape.status == 78 && shape.errors.contains(place) && shape.text.isEmpty, "\(shape.errors)")
        try write(installation.directory.path("none.storekit")).expect(78, "cannot be read")
        try write(copy("local", "\"major\": 3", "\"major\": 6")).expect(0, "warning: the file has version 6")
        try write(Self.path("local"), "--group-id", "Por=1").expect(64, "did you mean \"Pro\"?")
        try write(Self.path("local"), "--group-id", "Pro=1", "--group-id", "Pro=2").expect(64, "named twice")
        try write(Self.path("local"), "--group-id", "Pro=5", "--group-id", "70A1B2D4=5").expect(64, "have the id 5")
        let nameless = try write(copy("local", "\"Pro\"", "\"\"")).text
        #expect(nameless.contains("\"70A1B2C3=ID\""), "\(nameless)")
        try write(copy("local", "\"Audio\"", "\"Pro\""), "--group-id", "Pro=1").expect(64, "2 groups")
        for arguments in [
            ["--storekit", Self.path("local"), "--key", installation.key],
            ["--group-id", "Pro=1", "--key", installation.key],
            ["--storekit", Self.path("local"), "--group-id", "Pro"],
            ["--storekit", Self.path("local"), "--group-id", "Pro=x"], [],
        ] {
            let all = ["catalog", "write", "--bundle-id", Installation.bundleId]
            #expect(try Executable.run(all + arguments).status == 64, "\(arguments)")
        }
    }

    @Test("The stand-in App Store plays the file's products and offers, and its service has them")
    func played() throws {
        let store = try RunningAppStore(in: try TemporaryDirectory(), storeKitFile: Self.path("local"))
        let purchase = try store.buy(as: "newcomer", ["productId": "com.example.reader.pro.monthly"])
        #expect(purchase.status == 200, "\(purchase.json)")
        let status = try store.ask("GET", "/simulator/customers/lapsed")
        #expect(String(decoding: status.body, as: UTF8.self).contains("70A1B2C3"))
        let service = store.directory.url.appending(path: "service/catalog.yaml")
        #expect(try String(contentsOf: service, encoding: .utf8).contains("id: \"half\""))
        let configuration = store.directory.path("service/offer-signer.yaml")
        let signed = try Executable.run(["check", "--config", configuration])
        #expect(signed.status == 0 && signed.text.contains("4 products, 3 offers"), "\(signed.errors)\(signed.text)")
    }

    @Test("A file that the stand-in App Store cannot play is exit 78 with the place")
    func unplayable() throws {
        let file = try copy("local", "pro.monthly", "pro.yearly")
        let outcome = try Executable.run(["app-store", "--port", "0", "--storekit", file], of: Executable.lab)
        #expect(outcome.status == 78 && outcome.errors.contains("/subscriptions/1/productID"), "\(outcome.errors)")
    }

    @Test("Of one synchronised file, the catalog and the stand-in's App Store Connect say the same")
    func same() throws {
        let connectKey = "AuthKey_CONNECT123.p8"
        let pem = try installation.makeConnectKey(connectKey)
        let store = try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                appStoreConnect: { keys: [{ id: CONNECT123, publicKeyFile: \(pem) }] }
                apps: [{ bundleId: \(Installation.bundleId), subscriptionGroups: [] }]
                """,
            storeKitFile: Self.path("synchronised")
        )
        try install(try write(Self.path("synchronised")).text)
        let compared = try Executable.run([
            "catalog", "compare", "--config", installation.configuration, "--key",
            installation.directory.path(connectKey), "--issuer-id", RunningAppStore.issuerId,
            "--app-store-connect-url", "http://127.0.0.1:\(store.address.port)",
        ])
        #expect(compared.status == 0 && compared.text.isEmpty, "\(compared.text)\(compared.errors)")
    }
}
