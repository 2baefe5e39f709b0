import ArgumentParser
import FoundationEssentials
import Testing

@testable import offer_signer

/// Flags win over the environment, that over the file, that over the defaults; each must be well-formed.
@Suite struct OverrideTests {
    @Test func theStrongestLayerWins() throws {
        let fixture = try ConfigurationFixture()
        func port(_ flags: [String: String], _ environment: [String: String]) throws -> Int {
            try fixture.load(flags: flags, environment: environment).serverPort
        }
        #expect(try port([:], [:]) == 8080)
        #expect(try port([:], ["OFFER_SIGNER_SERVER_PORT": "1"]) == 1)
        #expect(try port(["server.port": "2"], [:]) == 2)
        #expect(try port(["server.port": "2"], ["OFFER_SIGNER_SERVER_PORT": "1"]) == 2)
    }

    @Test func requiredFilesMayComeFromTheEnvironment() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("server: { port: 0 }\n".utf8), to: "offer-signer.yaml")
        let loaded = try fixture.load(
            flags: ["clients": "clients.yaml"],
            environment: ["OFFER_SIGNER_CATALOG": fixture.path("catalog.yaml")]
        )
        #expect(loaded.apps.count == 1)
        #expect(loaded.clients.count == 1)
    }

    @Test func anOverrideOpensTheListenerForNotifications() throws {
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "notifications: { host: 0.0.0.0, port: 8081 }\n", "")
        ])
        let environment = ["OFFER_SIGNER_NOTIFICATIONS_PORT": "7000"]
        let address = try fixture.load(environment: environment).listeners.notifications
        #expect(address == ListenAddress(host: "0.0.0.0", port: 7000))
    }

    @Test func malformedOverridesAreFaultsThatNameTheirOrigin() throws {
        let fixture = try ConfigurationFixture()
        let faults = fixture.faults(
            flags: ["server.port": "80x", "catalog": ""],
            environment: [
                "OFFER_SIGNER_SERVER_PORT": "", "OFFER_SIGNER_EVIDENCE_MAXIMUM_AGE_SECONDS": "-1",
                "OFFER_SIGNER_LEDGER_URL": "oracle:x",
            ]
        )
        #expect(
            faults.map { $0.prefix { $0 != ";" } } == [
                "--server-port: is not a whole number from 0 to 65535",
                "OFFER_SIGNER_SERVER_PORT: is not a whole number from 0 to 65535",
                "--catalog: is empty",
                "OFFER_SIGNER_LEDGER_URL: is neither sqlite:FILE nor postgres://USER@HOST/DB",
                "OFFER_SIGNER_EVIDENCE_MAXIMUM_AGE_SECONDS: is not a whole number from 0 to 3155760000",
            ]
        )
    }

    @Test(arguments: SettingTable.scalars)
    func everySettingHasItsFlagAndItsVariable(_ setting: SettingEntry) throws {
        let flags = try ConfigurationFlags.parse(["--" + setting.flagName, "not a value"])
        #expect(flags.values == [setting.keyPath: "not a value"])

        guard setting.kind.name != "file" else { return }
        let faults = try ConfigurationFixture().faults(environment: [setting.variableName: "not a value"])
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix(setting.variableName + ": ") == true, "\(faults)")
    }

    /// The rule of names, by every kind of key path; the reference of docs/configuration.md holds the key paths.
    @Test(arguments: [
        ("catalog", "catalog"), ("server.port", "server-port"),
        ("server.drainDelaySeconds", "server-drain-delay-seconds"),
        ("server.tls.clientCertificateAuthorityFile", "server-tls-client-certificate-authority-file"),
        ("ledger.url", "ledger-url"), ("appStore.verifyReceiptURL", "app-store-verify-receipt-url"),
        ("appStore.sandboxServerAPIURL", "app-store-sandbox-server-api-url"),
    ])
    func aNameIsMadeOfTheKeyPath(_ keyPath: String, _ name: String) throws {
        let setting = try #require(SettingTable.scalars.first { $0.keyPath == keyPath })
        #expect(setting.flagName == name)
        #expect(setting.variableName == "OFFER_SIGNER_" + name.uppercased().replacing("-", with: "_"))
    }

    @Test("Flags are found beside those of the command, in any order, and a misspelt one is refused with a hint")
    func flagsOfACommand() throws {
        let command = try Check.parse(["--log-level=info", "--config", "x", "--server-port", "1", "--strict"])
        #expect(command.options.flags.values == ["log.level": "info", "server.port": "1"])
        #expect(command.options.config == "x" && command.strict)
        let misspelt = ["--config", "x", "--server-prot", "1"]
        let shown = #expect(throws: (any Error).self) { try Serve.parse(misspelt) }
        #expect(shown.map { Serve.message(for: $0).contains("--server-port") } == true)
        let hidden = #expect(throws: (any Error).self) { try Check.parse(misspelt) }
        let message = hidden.map { Check.fullMessage(for: $0) }
        #expect(message.flatMap(ConfigurationFlags.hinting)?.contains("Did you mean '--server-port'?") == true)
        #expect(ConfigurationFlags.hinting("Unknown option '--colour'") == nil)
    }

    @Test("The reference of docs/configuration.md has a row for each setting, word for word, and no other")
    func reference() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../docs/configuration.md").standardized
        let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        let section = text.split(separator: "\n## ").first { $0.hasPrefix("Every setting\n") }
        let rows = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = SettingTable.entries.map(\.row)
        #expect(rows == expected, "docs/configuration.md should have:\n\(expected.joined(separator: "\n"))")
    }

    @Test func helpDocumentsASettingOnce() {
        let words = ConfigurationFlags.helpMessage(columns: 1000)
        #expect(words.contains("server.port (whole number from 0 to 65535, default 8080): "))
        #expect(words.contains("catalog (file, required): "))
        #expect(words.ranges(of: "Overrides ").count == SettingTable.scalars.count)
        #expect(!words.contains("additionalRoots"))
    }
}
