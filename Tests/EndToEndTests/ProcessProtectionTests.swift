import ChildProcess
import Foundation
import Testing

@Suite("The process's protection of its keys")
struct ProcessProtectionTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    @Test("All symbols are bound at start: the dynamic section of the executable says so")
    func bindNow() throws {
        let outcome = try Executable.run(["readelf", "--dynamic", Executable.path], of: "/usr/bin/env")
        #expect(outcome.status == 0)
        let flags = outcome.text.split(separator: "\n").filter { $0.contains("(FLAGS") || $0.contains("(BIND_NOW") }
        #expect(flags.contains { $0.contains("BIND_NOW") || $0.contains("NOW") }, "\(outcome.text)")
    }

    @Test("No core file, and no new privileges for any thread")
    func limits() throws {
        // Where the tests themselves may leave a core file, it is the service that gives it up.
        let service = try RunningService(installation, launcher: ["prlimit", "--core=65536:65536"])
        func text(_ file: String) throws -> String {
            try Executable.run(["/proc/\(service.identifier)/\(file)"], of: "/bin/cat").text
        }
        #expect(try text("limits").contains(#/Max core file size +0 +0 +bytes/#))
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.identifier)/task")
        #expect(threads.count > 2)
        for thread in threads { #expect(try text("task/\(thread)/status").contains("NoNewPrivs:\t1")) }
    }

    @Test(
        "A debugger of the same user is refused",
        .enabled(if: geteuid() == 0, "it takes privileges to be without them")
    )
    func debugger() throws {
        // Root without its privileges is a user like others.
        let plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
        func canRead(_ process: pid_t) throws -> Bool {
            let command = plain + ["head", "-c", "1", "/proc/\(process)/environ"]
            return try Executable.run(command, of: "/usr/bin/env").status == 0
        }
        let other = try ChildProcess("/usr/bin/env", plain + ["sleep", "60"])
        let service = try RunningService(installation, launcher: plain)
        #expect(try canRead(other.identifier), "the same user may look into other programs")
        #expect(try !canRead(service.identifier))
    }

    @Test(
        "Unlocked memory is refused, unless a setting allows it: a warning stays in the details of readiness then",
        .enabled(if: geteuid() == 0, "root may lock without limit, and has to give that up")
    )
    func unlockedMemory() throws {
        let limited = ["prlimit", "--memlock=0:0", "setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"]
        let serve = limited + [Executable.path, "serve", "--config", installation.configuration]
        let refused = try Executable.run(serve, of: "/usr/bin/env")
        #expect(refused.status == 78)
        #expect(refused.text.isEmpty)
        for word in ["keys.allowUnlockedMemory", "LimitMEMLOCK="] { #expect(refused.errors.contains(word)) }

        let service = try RunningService(
            installation,
            environment: ["OFFER_SIGNER_KEYS_ALLOW_UNLOCKED_MEMORY": "true"],
            launcher: limited
        )
        for _ in 0..<2 {
            let (status, details) = try service.readiness()
            #expect(status == 200)
            #expect(details["keyMemory"] as? String == "unlocked")
            #expect((details["warnings"] as? [String])?.contains { $0.contains("can reach the swap") } == true)
            try service.reload()
        }
        service.stop()
        // The ledger's keys are there now, and nothing is wrong with them.
        #expect(try Executable.run(serve, of: "/usr/bin/env").errors == refused.errors)
    }

    @Test(
        "Signatures that are computed in ordinary memory are a warning of /readyz, metrics and check, with the limit to set",
        .enabled(if: geteuid() == 0, "root may lock without limit, and has to give that up"),
    )
    func ordinaryMemory() throws {
        func limited(_ kibibytes: Int) -> [String] {
            let bytes = kibibytes << 10
            return [
                "prlimit", "--memlock=\(bytes):\(bytes)", "setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock",
            ]
        }
        func check(_ kibibytes: Int, _ more: String...) throws -> ChildProcess.Outcome {
            let command = [Executable.path, "check", "--config", installation.configuration] + more
            return try Executable.run(limited(kibibytes) + command, of: "/usr/bin/env")
        }
        let checked = try check(72)
        let limit = try #require(checked.errors.firstMatch(of: /LimitMEMLOCK=(\d+)K/).flatMap { Int($0.1) })
        #expect(checked.status == 0 && checked.errors.contains("warning: signatures are computed in ordinary memory"))
        #expect(try check(72, "--strict").status == 78)
        // The limit that it names is enough, and no more than is needed.
        #expect(try check(limit, "--strict").status == 0)
        #expect(try check(limit - 32, "--strict").status == 78)

        let service = try RunningService(installation, launcher: limited(72))
        let warnings = try service.readiness().details["warnings"] as? [String]
        #expect(warnings?.contains { $0.contains("ordinary memory") && $0.contains("LimitMEMLOCK=\(limit)K") } == true)
        #expect(try service.metrics()["offer_signer_warnings{kind=\"memory\"}"] == 1)
    }

    @Test(
        "No openssl.cnf of the environment is read, nor a module that it names, where openssl itself loads it",
        arguments: [
            ("providers", "module = %\nactivate = 1"), ("engines", "engine_id = foreign\ndynamic_path = %\ninit = 1"),
        ]
    )
    func openSSL(kind: String, section: String) throws {
        let directory = installation.directory
        let mark = try installation.writeOpenSSLConfiguration(kind, section)
        let environment = [
            "OPENSSL_CONF": directory.path("openssl.cnf"), "OPENSSL_MODULES": directory.url.path,
            "OPENSSL_ENGINES": directory.url.path,
        ]
        _ = try Executable.run(["list", "-providers"], of: "/usr/bin/openssl", environment: environment)
        #expect(FileManager.default.fileExists(atPath: mark))
        try FileManager.default.removeItem(atPath: mark)

        try Executable.run(["keys", "inspect", installation.key], environment: environment).expect(0)
        let service = try RunningService(installation, environment: environment)
        #expect(Load(on: service, connections: 2, requests: 10).finish().allSatisfy { $0.status == 200 })
        try service.reload()
        #expect(!FileManager.default.fileExists(atPath: mark))

        // SoftHSM computes with the same libcrypto.
        let token = try TestToken(of: installation, through: .softHSM)
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        let other = try RunningService(installation, environment: environment.merging(token.environment) { $1 })
        #expect(Load(on: other, connections: 2, requests: 10).finish().allSatisfy { $0.status == 200 })
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}
