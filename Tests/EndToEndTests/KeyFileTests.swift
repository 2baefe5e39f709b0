import ChildProcess
import Foundation
import Testing

@Suite("Where key files may come from, and who may own and read them")
struct KeyFileTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("A key whose signatures do not verify is refused, and nothing is served")
    func selfTest() throws {
        let library = try SharedObject.build(
            SharedObject.wrongSignatures,
            named: "wrong.so",
            in: installation.directory
        )
        let refused = try installation.check(environment: ["LD_PRELOAD": library])
        refused.expect(78, "fails its test: a signature does not verify")
    }

    @Test("A ledger's keys may be systemd credentials, too; as other files they are for their owner alone")
    func ledgerCredentials() throws {
        let credentials = installation.directory.url.appending(path: "credentials")
        try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 32).write(to: credentials.appending(path: "digest-key"))
        try FileManager.default.copyItem(
            atPath: installation.key,
            toPath: credentials.appending(path: "checkpoint-key.p8").path
        )
        for name in ["digest-key", "checkpoint-key.p8"] { try setMode(0o440, of: "\(credentials.path)/\(name)") }
        let environment = ["CREDENTIALS_DIRECTORY": credentials.path]
        func flags(_ prefix: String) -> [String] {
            [
                "--ledger-digest-key-file", prefix + "digest-key",
                "--ledger-checkpoint-key-file", prefix + "checkpoint-key.p8",
            ]
        }
        let service = try RunningService(installation, flags: flags("credential:"), environment: environment)
        #expect(Load(on: service, connections: 1, requests: 1).finish().map(\.keyIdentifier) == ["TESTKEY001"])
        try FileManager.default.removeItem(at: credentials.appending(path: "digest-key"))
        let gone = try Executable.run(
            ["check", "--config", installation.configuration] + flags("credential:"),
            environment: environment
        )
        gone.expect(78, "--ledger-digest-key-file: \"credential:digest-key\": no such file")
        try Data(repeating: 7, count: 32).write(to: credentials.appending(path: "digest-key"))
        try setMode(0o440, of: "\(credentials.path)/digest-key")
        let open = try Executable.run(["check", "--config", installation.configuration] + flags("credentials/"))
        #expect(open.status == 78)
        for flag in ["--ledger-digest-key-file", "--ledger-checkpoint-key-file"] {
            #expect(open.errors.contains("\(flag): "), "\(open.errors)")
        }
        #expect(open.errors.components(separatedBy: "has mode 0440, open to others: chmod 600").count == 3)
    }

    @Test("Check says when the ledger, or the directory of a new one, cannot be written")
    func unwritable() throws {
        // Root may write everywhere until that is taken from it.
        func check(_ url: String) throws -> ChildProcess.Outcome {
            let command = [Executable.path, "check", "--config", installation.configuration, "--ledger-url", url]
            return try Executable.run(unprivileged + command, of: "/usr/bin/env")
        }
        let directory = installation.directory.path("closed")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try installation.directory.write("read-only.sqlite", "")
        for (mode, status) in [(0o500, 78), (0o700, 0)] as [(Int, Int32)] {
            try setMode(mode, of: directory)
            try setMode(mode & 0o600, of: installation.directory.path("read-only.sqlite"))
            for url in ["sqlite:closed/ledger.sqlite", "sqlite:read-only.sqlite"] {
                let checked = try check(url)
                let says = checked.errors.contains("is not writable for this user: Permission denied")
                #expect(says == (status == 78), "\(checked.errors)")
                if url.contains("closed") { #expect(checked.status == status) }
            }
        }
    }

    /// What takes from root what others have not: nothing from another user.
    private var unprivileged: [String] { geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [] }

    @Test("A ledger's key that the service may not read is to be given to it, and not to be restored")
    func forbidden() throws {
        try begin(installation.ledger)
        for (suffix, setting) in [(".digest-key", "digestKeyFile"), (".checkpoint-key.p8", "checkpointKeyFile")] {
            let file = installation.ledger + suffix
            try setMode(0, of: file)
            let command = unprivileged + [Executable.path, "check", "--config", installation.configuration]
            let refused = try Executable.run(command, of: "/usr/bin/env")
            try setMode(0o600, of: file)
            refused.expect(78, ": ledger.\(setting): ", "Permission denied", "\(file) && chmod 600 \(file)")
            #expect(!refused.errors.contains("backup"), "\(refused.errors)")
        }
    }

    /// Lets a service make a ledger, and stop.
    private func begin(_ ledger: String) throws {
        let service = try RunningService(installation, flags: ["--ledger-url", "sqlite:\(ledger)"])
        service.stop()
    }

    @Test(
        "Root's check takes the owner of the ledger's directory for the service's user, and says which files are another's",
        .enabled(if: geteuid() == 0, "only root can give files away")
    )
    func servicesUser() throws {
        let directory = installation.directory.path("state")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let ledger = directory + "/ledger.sqlite"
        let keys = [ledger + ".digest-key", ledger + ".checkpoint-key.p8"]
        func check() throws -> ChildProcess.Outcome { try installation.check("--ledger-url", "sqlite:\(ledger)") }
        try begin(ledger)
        for file in [directory, ledger] + keys { #expect(chown(file, 1234, 1234) == 0) }
        let fine = try check()
        #expect(fine.status == 0 && fine.errors.isEmpty, "\(fine.errors)")
        // As after a copy by root.
        for file in [ledger, keys[1]] {
            #expect(chown(file, 0, 0) == 0)
            let warned = try check()
            #expect(warned.status == 0)
            let commands = warned.errors.split(separator: ": ").last ?? ""
            #expect(commands.hasPrefix("chown 1234 ") && commands.contains("\(file)"), "\(warned.errors)")
            #expect(chown(file, 1234, 1234) == 0)
        }
        try FileManager.default.removeItem(atPath: ledger)
        let gone = try check()
        gone.expect(0, "is not there, though its keys are")
        #expect(!gone.errors.contains("chown"), "\(gone.errors)")
    }

    @Test("A directory that systemd will make for the service is no fault of check, and one of serve")
    func stateDirectory() throws {
        let state = installation.directory.path("state")
        let checked = try installation.check(environment: ["STATE_DIRECTORY": state])
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.text.contains("\(state)/ledger.sqlite, which the first start will make, in the directory that"))
        let served = try installation.serve(environment: ["STATE_DIRECTORY": state])
        served.expect(78, "is in a directory that does not exist")
        #expect(try installation.check().text.contains("make: neither ledger.url nor STATE_DIRECTORY is set"))
        try begin(installation.ledger)
        #expect(try !installation.check().text.contains("STATE_DIRECTORY"))
    }

    @Test(
        "Root looks at the ledger of the service's user, with the keys that were made beside it",
        .enabled(if: geteuid() == 0, "only root can give files away")
    )
    func servicesLedger() throws {
        let service = try RunningService(installation)
        #expect(Load(on: service, connections: 1, requests: 1).finish().count == 1)
        service.stop()
        let keys = [".digest-key", ".checkpoint-key.p8"].map { installation.ledger + $0 }
        for file in [installation.ledger] + keys { #expect(chown(file, 1234, 1234) == 0) }
        #expect(try installation.check().status == 0)
        try installation.ledger("verify").expect(0)
        for key in keys {
            #expect(chown(key, 4321, 4321) == 0)
            let refused = try installation.check()
            refused.expect(78, "belongs to user 4321", "root or to the service's user (1234): chown 1234")
            #expect(chown(key, 1234, 1234) == 0)
        }
    }
}
