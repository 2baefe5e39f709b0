import FoundationEssentials
import Testing

@testable import offer_signer

/// Where key files may be, and who may read them.
@Suite struct KeyProtectionTests {
    private func fixture(file: String) throws -> ConfigurationFixture {
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "file: SubscriptionKey_EXAMPLE123.p8", "file: \(file)")
        ])
        let credentials = fixture.path("credentials")
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        let name = "SubscriptionKey_EXAMPLE123.p8"
        try FileManager.default.moveItem(atPath: fixture.path(name), toPath: credentials + "/" + name)
        try setMode(0o440, of: credentials + "/" + name)
        return fixture
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func aSettingLetsGroupsRead() throws {
        let edit = ConfigurationFixture.Edit(
            "offer-signer.yaml",
            "evidence:",
            "keys: { groupReadable: true, secretMemory: false }\nevidence:"
        )
        for (edits, mode, isTaken) in [([], 0o440, false), ([edit], 0o440, true), ([edit], 0o444, false)] {
            let fixture = try ConfigurationFixture(edits)
            try setMode(mode, of: fixture.path("SubscriptionKey_EXAMPLE123.p8"))
            let faults = fixture.check().faults
            #expect(faults.isEmpty == isTaken, "\(faults)")
            #expect(faults.allSatisfy { $0.contains("open to others") }, "\(faults)")
        }
    }

    @Test func aCredentialIsLookedForWhereSystemdPutsIt() throws {
        let fixture = try fixture(file: "credential:SubscriptionKey_EXAMPLE123.p8")
        let directory = fixture.path("credentials")
        let environment = ["CREDENTIALS_DIRECTORY": directory]
        // systemd 254 and later show an access control list as the group's permission.
        let found = fixture.check(environment: environment)
        #expect(found.faults.isEmpty && found.warnings.isEmpty, "\(found)")
        let file = try fixture.load(environment: environment).apps[0].keys[0].file
        #expect(file == directory + "/SubscriptionKey_EXAMPLE123.p8")
    }

    @Test func aCredentialThatIsNotThereIsAFaultThatNamesTheLineOfTheUnit() throws {
        let fixture = try fixture(file: "credential:SubscriptionKey_GONE.p8")
        let faults = fixture.check(environment: ["CREDENTIALS_DIRECTORY": fixture.path("credentials")]).faults
        #expect(faults.count == 1)
        for words in ["no such file; this should be", "under the name of a LoadCredential= line", "restart it"] {
            #expect(faults.first?.contains(words) == true, "\(faults)")
        }
    }

    @Test func aCredentialNamedByItsPathIsOneToo() throws {
        let fixture = try fixture(file: "credentials/SubscriptionKey_EXAMPLE123.p8")
        func faults(_ directory: String) -> [String] {
            fixture.check(environment: ["CREDENTIALS_DIRECTORY": fixture.path(directory)]).faults
        }
        #expect(faults("credentials").isEmpty)
        #expect(faults("other").count == 1)
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
}
