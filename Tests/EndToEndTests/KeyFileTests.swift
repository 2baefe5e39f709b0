import ChildProcess
import Foundation
import Testing

@Suite("Where key files may come from, and who may own and read them")
struct KeyFileTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func check(_ flags: [String] = [], environment: [String: String] = [:]) throws -> ChildProcess.Outcome {
        try Executable.run(["check", "--config", installation.configuration] + flags, environment: environment)
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("A secret as Kubernetes mounts it: through links, readable by the group, if the configuration says so")
    func kubernetes() throws {
        let directory = installation.directory
        // A volume's files are links into `..data`, which is a link to a directory that is replaced as a whole.
        let version = directory.url.appending(path: "secrets/..2026_11_21_00_00_00.1")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let file = version.appending(path: "SubscriptionKey_TESTKEY001.p8").path
        try FileManager.default.moveItem(atPath: installation.key, toPath: file)
        try setMode(0o440, of: file)
        for (link, target) in [
            ("secrets/..data", "..2026_11_21_00_00_00.1"),
            ("secrets/SubscriptionKey_TESTKEY001.p8", "..data/SubscriptionKey_TESTKEY001.p8"),
        ] {
            try FileManager.default.createSymbolicLink(atPath: directory.path(link), withDestinationPath: target)
        }
        try installation.writeCatalog(keys: "{ id: TESTKEY001, file: secrets/SubscriptionKey_TESTKEY001.p8 }")
        let refused = try check()
        #expect(refused.status == 78)
        #expect(refused.errors.contains("has mode 0440, open to others"))
        #expect(try check(["--keys-group-readable", "true"]).status == 0)
        try setMode(0o444, of: file)
        #expect(try check(["--keys-group-readable", "true"]).status == 78)
    }

    @Test("A systemd credential, which shows the group's permission since systemd 254, needs no setting")
    func credential() throws {
        let credentials = installation.directory.url.appending(path: "credentials")
        try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
        let file = credentials.appending(path: "SubscriptionKey_TESTKEY001.p8").path
        try FileManager.default.moveItem(atPath: installation.key, toPath: file)
        try setMode(0o440, of: file)
        try installation.writeCatalog(keys: "{ id: TESTKEY001, file: \"credential:SubscriptionKey_TESTKEY001.p8\" }")
        let environment = ["CREDENTIALS_DIRECTORY": credentials.path]
        #expect(try check(environment: environment).status == 0)
        let service = try RunningService(installation, environment: environment)
        #expect(Load(on: service, connections: 1, requests: 1).finish().map(\.keyIdentifier) == ["TESTKEY001"])
        #expect(try check().errors.contains("$CREDENTIALS_DIRECTORY is not set"))
    }

    @Test("An encrypted key is refused with the command that decrypts it into a credential")
    func encrypted() throws {
        let plain = installation.directory.path("plain.pem")
        try FileManager.default.moveItem(atPath: installation.key, toPath: plain)
        try installation.openssl(
            "pkcs8",
            "-topk8",
            "-in",
            plain,
            "-out",
            installation.key,
            "-passout",
            "pass:a passphrase"
        )
        try setMode(0o600, of: installation.key)
        let refused = try check()
        #expect(refused.status == 78)
        #expect(
            refused.errors.contains("openssl pkcs8 -topk8 -nocrypt -in \(installation.key) | systemd-creds encrypt")
        )
    }

    @Test(
        "Somebody else's key file is refused",
        .enabled(if: geteuid() == 0, "only root can give files away")
    )
    func owner() throws {
        #expect(chown(installation.key, 1234, 1234) == 0)
        let refused = try check()
        #expect(refused.status == 78)
        #expect(
            refused.errors.contains("catalog.yaml:3: apps[0].keys[0].file: \(installation.key) belongs to user 1234")
        )
    }
}
