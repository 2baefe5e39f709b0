import ChildProcess
import Foundation
import Testing

@Suite("The catalog and App Store Connect, at the stand-in App Store")
struct CatalogCommandTests {
    private static let connectKey = "AuthKey_CONNECT123.p8"

    private let installation: Installation
    private let appStore: RunningAppStore

    init() throws {
        installation = try Installation()
        let pem = try installation.makeConnectKey(Self.connectKey)
        let offers = (1...12).map { "{ id: offer\($0), periods: 3 }" }.joined(separator: ", ")
        appStore = try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                appStoreConnect:
                  issuerId: \(RunningAppStore.issuerId)
                  keys:
                    - { id: CONNECT123, publicKeyFile: \(pem) }
                  pageSize: 5
                apps:
                  - bundleId: \(Installation.bundleId)
                    name: "Reader: #the\\napp\\u001b[31m\\u009b2J"
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    subscriptionGroups:
                      - id: "20900001"
                        name: Pro
                        products:
                          - id: pro.monthly
                            level: 2
                            winBackOffers: [{ id: return40 }, { id: ended, endDate: 2020-01-01 }]
                            offers: [{ id: anyone }, { id: comeback50, mode: freeTrial }, \(offers)]
                          - { id: pro.yearly, period: P1Y, state: DEVELOPER_REMOVED_FROM_SALE }
                      - { id: "20900002", products: [{ id: "no", territories: [USA, DEU], offers: [
                            { id: "true", territories: [USA] }, { id: "a: b #'c\\"" }] }] }
                """
        )
    }

    private func catalog(
        _ command: String,
        _ arguments: String...,
        key: String = connectKey
    ) throws -> ChildProcess.Outcome {
        let place =
            command == "write"
            ? ["--bundle-id", Installation.bundleId] : ["--config", installation.configuration]
        let access = ["--key", installation.directory.path(key), "--issuer-id", RunningAppStore.issuerId]
        let address = ["--app-store-connect-url", "http://127.0.0.1:\(appStore.address.port)"]
        return try Executable.run(["catalog", command] + place + access + address + arguments)
    }

    private func codes(_ outcome: ChildProcess.Outcome) throws -> [String] {
        let list = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [[String: String]])
        let names: Set = ["code", "bundleId", "productId", "offerId", "detail", "fix"]
        #expect(list.allSatisfy { names.isSuperset(of: $0.keys) })
        return list.compactMap { $0["code"] }
    }

    @Test("A written catalog is accepted once the key is in it, and then nothing differs")
    func written() throws {
        let written = try catalog("write")
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.text.contains("audience: [lapsed]   # a default"))
        #expect(written.text.ranges(of: "- id: offer").count == 12)
        let controls = written.text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(controls.isEmpty && written.text.contains("app<U+001B>[31m<U+009B>2J"), "\(written.text)")
        try installation.directory.write("catalog.yaml", written.text)
        try installation.check().expect(78, "KEY_ID")
        try installation.directory.write("catalog.yaml", written.text.replacing("KEY_ID", with: "TESTKEY001"))
        let check = try installation.check()
        #expect(check.status == 0 && check.text.contains("3 products, 16 offers"), "\(check.errors)\(check.text)")
        let compared = try catalog("compare")
        #expect(compared.status == 0 && compared.text.isEmpty, "\(compared.text)\(compared.errors)")
        #expect(compared.errors.contains("nothing differs"))
        let prices = try catalog("compare", "--prices", "--json")
        #expect(try codes(prices) == ["offer_not_sold_everywhere"])
        #expect(prices.status == 0)
    }

    @Test("An offer that cannot be bought is exit 1 and comes first; neither the key that signs nor clients are needed")
    func compared() throws {
        try installation.edit("catalog.yaml", "id: anyone", "id: Anyone")
        try FileManager.default.removeItem(atPath: installation.key)
        try FileManager.default.removeItem(atPath: installation.directory.path("clients.yaml"))
        let text = try catalog("compare")
        #expect(text.status == 1, "\(text.errors)")
        let lines = text.text.split(separator: "\n")
        let place = "\"\(Installation.bundleId)\" \"pro.monthly\" \"Anyone\""
        #expect(lines.first?.hasPrefix("error: \(place): App Store Connect has it in other case: anyone") == true)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("note: ") } && lines.count == 15, "\(text.text)")
        let json = try catalog("compare", "--json", "--bundle-id", Installation.bundleId)
        #expect(try codes(json).first == "offer_id_in_other_case")
        let other = try catalog("compare", "--bundle-id", "com.example.other")
        other.expect(1, "the catalog has no app", "known here: \(Installation.bundleId)")
    }

    @Test("A refusal is told by its cause")
    func refusals() throws {
        try catalog("write", key: "SubscriptionKey_TESTKEY001.p8").expect(1, "In-App Purchase key")
        try installation.makeKeyFile("AuthKey_OTHER12345.p8")
        let other = try catalog("write", key: "AuthKey_OTHER12345.p8")
        #expect(other.status == 1 && other.errors.contains("401 NOT_AUTHORIZED"), "\(other.errors)")
        try catalog("write", "--bundle-id", "com.example.other").expect(1, "the key's team has no app")
    }

    @Test("Arguments that cannot be right are refused before anybody is asked")
    func badUsage() throws {
        for arguments in [
            ["--issuer-id", "team"], ["--app-store-connect-url", "http://example.com"], ["--bundle-id", ""],
        ] {
            let all = ["catalog", "write", "--bundle-id", "b", "--key", installation.directory.path(Self.connectKey)]
            let outcome = try Executable.run(all + arguments)
            #expect(outcome.status == 64, "\(arguments): \(outcome.errors)")
        }
        #expect(try Executable.run(["catalog"]).status == 64)
    }
}
