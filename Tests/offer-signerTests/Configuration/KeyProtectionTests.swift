import FoundationEssentials
import Testing

@testable import offer_signer

/// Which keys the configuration asks to load, from where, and with how much care.
@Suite struct KeyProtectionTests {
    /// Notes what it is asked for, and loads nothing.
    private final class Recorder: KeyLoading {
        var memory: (allowsUnlocked: Bool, usesSecret: Bool)?
        var loaded: [(file: String?, isGroupReadable: Bool)] = []
        var publicKeys: [String?] = []
        let fault: String?

        init(fault: String? = nil) { self.fault = fault }

        func prepareMemory(allowsUnlocked: Bool, usesSecret: Bool) throws(ValueFault) -> String? {
            memory = (allowsUnlocked, usesSecret)
            if let fault { throw ValueFault(fault) }
            return allowsUnlocked ? "can reach the swap" : nil
        }

        func load(_ key: KeySettings, isGroupReadable: Bool) throws(ValueFault) -> [UInt8]? {
            loaded.append((key.file, isGroupReadable))
            return nil
        }

        func loadPublicKey(of key: KeySettings) throws(ValueFault) { publicKeys.append(key.publicKeyFile) }
    }

    private func fixture(file: String) throws -> ConfigurationFixture {
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "file: SubscriptionKey_EXAMPLE123.p8", "file: \(file)")
        ])
        let credentials = fixture.path("credentials")
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try fixture.write(Array("not read here".utf8), to: "credentials/SubscriptionKey_EXAMPLE123.p8")
        return fixture
    }

    @Test func theDefaultsAreTheStrictOnes() throws {
        let recorder = Recorder()
        _ = try ConfigurationFixture().load(keyLoader: recorder)
        #expect(recorder.memory ?? (true, false) == (false, true))
        #expect(recorder.loaded.map(\.isGroupReadable) == [false])
    }

    @Test func aSettingLetsGroupsRead() throws {
        let recorder = Recorder()
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "evidence:", "keys: { groupReadable: true, secretMemory: false }\nevidence:")
        ])
        _ = try fixture.load(keyLoader: recorder)
        #expect(recorder.loaded.map(\.isGroupReadable) == [true])
        #expect(recorder.memory?.usesSecret == false)
    }

    @Test func aCredentialIsLookedForWhereSystemdPutsIt() throws {
        let recorder = Recorder()
        let fixture = try fixture(file: "credential:SubscriptionKey_EXAMPLE123.p8")
        let directory = fixture.path("credentials")
        let loaded = try fixture.load(environment: ["CREDENTIALS_DIRECTORY": directory], keyLoader: recorder)
        #expect(loaded.apps[0].keys[0].file == directory + "/SubscriptionKey_EXAMPLE123.p8")
        // systemd 254 and later show an access control list as the group's permission.
        #expect(recorder.loaded.map(\.isGroupReadable) == [true])
        #expect(loaded.warnings.allSatisfy { !$0.message.contains("is named for") })
    }

    @Test func aCredentialNamedByItsPathIsOneToo() throws {
        let recorder = Recorder()
        let fixture = try fixture(file: "credentials/SubscriptionKey_EXAMPLE123.p8")
        _ = try fixture.load(environment: ["CREDENTIALS_DIRECTORY": fixture.path("credentials")], keyLoader: recorder)
        _ = try fixture.load(environment: ["CREDENTIALS_DIRECTORY": fixture.path("other")], keyLoader: recorder)
        #expect(recorder.loaded.map(\.isGroupReadable) == [true, false])
    }

    @Test(arguments: ["credential:", "credential:../x", "credential:/etc/x", "credential:..", "credential:."])
    func aMalformedCredentialNameIsAFault(_ name: String) throws {
        let fixture = try fixture(file: "\"\(name)\"")
        let faults = fixture.faults(environment: ["CREDENTIALS_DIRECTORY": fixture.path("credentials")])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("catalog.yaml:6: apps[0].keys[0].file: ") == true)
        #expect(faults.first?.contains("names no credential") == true)
    }

    @Test func aCredentialWithoutSystemdIsAFaultWithTheFix() throws {
        let faults = try fixture(file: "credential:SubscriptionKey_EXAMPLE123.p8").faults()
        #expect(faults.count == 1)
        #expect(faults.first?.contains("LoadCredential=SubscriptionKey_EXAMPLE123.p8:FILE") == true)
    }

    @Test func aKeyWhereACredentialsNameBelongsIsNotRepeated() throws {
        let pasted = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkBCKIEmis7Zow"
        let faults = try fixture(file: "credential:\(pasted)").faults()
        #expect(faults.count == 1)
        #expect(faults.first?.contains("put it into a file of mode 600") == true)
        #expect(faults.first?.contains("kBCKIEmis7Zow") == false)
    }

    @Test func memoryThatIsRefusedIsAFaultOfItsSetting() throws {
        let fixture = try ConfigurationFixture()
        do {
            _ = try fixture.load(keyLoader: Recorder(fault: "could not be locked"))
            Issue.record("it loads")
        } catch {
            #expect(error.faults.map(\.place.keyPath) == ["keys.allowUnlockedMemory"])
            #expect(error.faults.map(\.message) == ["could not be locked"])
        }
    }

    @Test func memoryThatIsAllowedToBeUnlockedIsAWarning() throws {
        let environment = ["OFFER_SIGNER_KEYS_ALLOW_UNLOCKED_MEMORY": "true"]
        let warnings = try ConfigurationFixture().load(environment: environment, keyLoader: Recorder()).warnings
        #expect(
            warnings.map(\.description)
                .contains("OFFER_SIGNER_KEYS_ALLOW_UNLOCKED_MEMORY: can reach the swap")
        )
    }

    @Test func aRetiredKeyIsReadByItsPublicHalf() throws {
        let recorder = Recorder()
        let fixture = try ConfigurationFixture([
            .init(
                "catalog.yaml",
                "    sharedSecretFile",
                "      - { id: OTHER12345, publicKeyFile: old.pem }\n    sharedSecretFile"
            )
        ])
        _ = try fixture.load(keyLoader: recorder)
        #expect(recorder.publicKeys == [fixture.path("old.pem")])
        #expect(recorder.loaded.count == 1)
    }
}
