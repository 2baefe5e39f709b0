import ChildProcess
import Foundation
import Testing

@Suite("Tokens that people have: each signs, or says what it needs")
struct TokenKindsTests {
    private let installation: Installation
    private let directory: TemporaryDirectory

    init() throws {
        installation = try Installation()
        directory = installation.directory
    }

    /// Runs a command of a shell in the installation's directory.
    @discardableResult
    private func shell(_ command: String, environment: [String: String] = [:]) throws -> String {
        let outcome = try Executable.run(
            ["-euc", "cd '\(directory.path("."))'; \(command)"],
            of: "/bin/sh",
            environment: environment
        )
        guard outcome.status == 0 else { throw Failure(text: "\(command): \(outcome.errors)") }
        return outcome.text
    }

    /// Starts the service with a time-out that a busy machine keeps.
    private func serve(environment: [String: String] = [:], launcher: [String] = []) throws -> RunningService {
        try installation.edit("offer-signer.yaml", "pkcs11: {", "pkcs11: { timeoutMilliseconds: 5000,")
        return try RunningService(installation, environment: environment, launcher: launcher)
    }

    private func expectSignatures(_ service: RunningService, connections: Int = 8, requests: Int = 25) throws {
        let samples = Load(on: service, connections: connections, requests: requests).finish()
        #expect(samples.count == connections * requests && samples.allSatisfy { $0.status == 200 })
        #expect(try samples.allSatisfy { try installation.verifies($0.discount, account: "alice") })
    }

    @Test(
        "SoftHSM whose store cannot be written: check names the call, the result and the slot, before anything is served",
        .enabled(if: geteuid() == 0, "only root can mount")
    )
    func unwritable() throws {
        let token = try TestToken(of: installation, through: .softHSM)
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        let store = directory.path("tokens")
        let readOnly = "mount --bind '\(store)' '\(store)' && mount -o remount,ro,bind '\(store)' && exec \"$@\""
        let check = try Executable.run(
            ["-m", "sh", "-c", readOnly, "sh", Executable.path, "check", "--config", installation.configuration],
            of: "/usr/bin/unshare",
            environment: token.environment
        )
        #expect(check.status == 78, "\(check.text)")
        #expect(
            check.errors.contains(
                "in session 2 of 4 (pkcs11.sessions): C_GetTokenInfo answers CKR_GENERAL_ERROR (slot-id "
            ),
            "\(check.errors)"
        )
    }

    @Test("A module with 65 tokens")
    func manySlots() throws {
        let token = try TestToken(of: installation, through: .softHSM)
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        try shell(
            "for i in $(seq 64); do softhsm2-util --init-token --free --label \"t$i\" --pin 4711 --so-pin 47114711 >&2; done",
            environment: token.environment
        )
        let check = try installation.check(environment: token.environment)
        #expect(check.status == 0 && check.text.contains("self-test passed, signs"), "\(check.errors)\(check.text)")
    }

    @Test("A reload finds a token that was made after the start, and one that was made anew, while others sign")
    func madeAnew() throws {
        try installation.makeKey("SECONDKEY1")
        let token = try TestToken(of: installation, through: .softHSM)
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        let service = try serve(environment: token.environment)
        try expectSignatures(service)
        let entry = #"{ id: SECONDKEY1, pkcs11: "pkcs11:token=later;object=SECONDKEY1?pin-source=file:offers.pin" }"#
        let make = """
            softhsm2-util --init-token --free --label later --pin \(TestToken.pin) --so-pin 00000000
            softhsm2-util --import SubscriptionKey_SECONDKEY1.p8 --token later --label SECONDKEY1 --id 07 --pin \(TestToken.pin)
            """
        for (round, command) in [make, "softhsm2-util --delete-token --token later\n" + make].enumerated() {
            try shell(command, environment: token.environment)
            try installation.writeCatalog(keys: "\(TestToken.entry("TESTKEY001")), \(entry)")
            let load = Load(on: service, connections: 4, requests: 200)
            let reloads = try service.reload()["reloads"] as? [String: Any]
            #expect(reloads?["completed"] as? Int == round + 1, "\(reloads as Any)")
            #expect(load.finish().allSatisfy { $0.status == 200 || $0.status == 503 })
            try service.waitUntilReadiness(is: 200)
            try expectSignatures(service)
        }
    }

    @Test("A key that wants the PIN for each signature gets it; a public object with another id is found by its label")
    func authenticatesAlways() throws {
        let token = try TestToken(of: installation, keys: [], through: .softHSM)
        let tool =
            "pkcs11-tool --module \(TestToken.softHSM) --token-label offers --login --pin \(TestToken.pin) --write-object"
        try shell(
            """
            openssl pkcs8 -topk8 -nocrypt -in SubscriptionKey_TESTKEY001.p8 -outform der -out key.der
            openssl pkey -in SubscriptionKey_TESTKEY001.p8 -pubout -outform der -out public.der
            \(tool) key.der --type privkey --usage-sign --sensitive --always-auth --label TESTKEY001 --id 01
            \(tool) public.der --type pubkey --label TESTKEY001 --id 02
            """,
            environment: token.environment
        )
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        let service = try serve(environment: token.environment)
        try expectSignatures(service)
        // A refused reload takes no key out of use, though its PIN was refused.
        for (pin, member) in [("wrong", "refused"), (TestToken.pin, "completed")] {
            try directory.write("offers.pin", pin, mode: 0o600)
            let reloads = try service.reload()["reloads"] as? [String: Any]
            #expect(reloads?[member] as? Int == 1, "\(reloads as Any)")
            try expectSignatures(service)
        }
    }

    @Test("keys inspect takes the public key from a file where the token has none")
    func publicKeyFile() throws {
        let token = try TestToken(of: installation, keys: [], through: .softHSM)
        try shell(
            """
            openssl pkcs8 -topk8 -nocrypt -in SubscriptionKey_TESTKEY001.p8 -outform der -out key.der
            pkcs11-tool --module \(TestToken.softHSM) --token-label offers --login --pin \(TestToken.pin) \
                --write-object key.der --type privkey --usage-sign --label TESTKEY001
            """,
            environment: token.environment
        )
        let uri = TestToken.uri("TESTKEY001").replacing("offers.pin", with: directory.path("offers.pin"))
        let inspect = ["keys", "inspect", "--module", TestToken.softHSM]
        let without = try Executable.run(inspect + [uri], environment: token.environment)
        without.expect(1, "for keys inspect --public-key-file")
        let with = try Executable.run(
            inspect + ["--public-key-file", installation.publicKey, uri],
            environment: token.environment
        )
        #expect(with.status == 0 && with.text.contains("self-test:   passed"), "\(with.errors)")
        let missing = try Executable.run(inspect + ["--public-key-file", "none.pem", uri])
        missing.expect(1, "none.pem\": no such file")
        #expect(!missing.errors.contains(TestToken.softHSM), "\(missing.errors)")
        try Executable.run(["keys", "inspect", "--public-key-file", installation.publicKey, installation.key])
            .expect(64, "go with --module")
        try Executable.run(inspect + [uri + "&module-path=/usr/lib/other.so"], environment: token.environment)
            .expect(1, "module-path of the URI is another module than --module")
    }

    /// A database of NSS with the key, without a password; returns its parameters.
    private func makeNSS() throws -> String {
        try shell(
            """
            mkdir nss
            certutil -N -d sql:nss --empty-password
            openssl req -x509 -new -key SubscriptionKey_TESTKEY001.p8 -subj /CN=test -days 10 -out c.pem -config /dev/null
            openssl pkcs12 -export -inkey SubscriptionKey_TESTKEY001.p8 -in c.pem -name TESTKEY001 -passout pass:x -out k.p12
            pk12util -i k.p12 -d sql:nss -W x
            """
        )
        let entry = #"{ id: TESTKEY001, pkcs11: "pkcs11:token=NSS%20Certificate%20DB;object=TESTKEY001" }"#
        try installation.writeCatalog(keys: entry)
        return "configdir='sql:\(directory.path("nss"))' flags=readOnly"
    }

    @Test("NSS by its parameters; without them the fault names the setting")
    func nss() throws {
        let module = try TestToken.module("libsoftokn3.so")
        let parameters = try makeNSS()
        try installation.configure("pkcs11: { modules: [\(module)] }")
        let without = try installation.check()
        // NSS 3.110 initialises itself without them, and has a token without keys.
        let words = ["CKR_ARGUMENTS_BAD", "has no private key that the URI names; it has none"]
        #expect(without.status == 78 && words.contains { without.errors.contains($0) }, "\(without.errors)")
        #expect(without.errors.contains("{ file: \(module), parameters: "), "\(without.errors)")
        try installation.edit(
            "offer-signer.yaml",
            "modules: [\(module)]",
            "modules: [{ file: \(module), parameters: \"\(parameters)\" }]"
        )
        let service = try serve()
        try expectSignatures(service)
    }

    @Test("NSS by p11-kit's proxy and x-init-reserved", .enabled(if: geteuid() == 0, "only root can mount"))
    func nssByProxy() throws {
        let parameters = try makeNSS()
        let modules = "module: \(try TestToken.module("libsoftokn3.so"))\nx-init-reserved: \(parameters)\n"
        try shell("mkdir modules")
        try directory.write("modules/nss.module", modules)
        try installation.configure("pkcs11: { modules: [\(try TestToken.module("p11-kit-proxy.so"))] }")
        let mount = "mount --bind '\(directory.path("modules"))' /usr/share/p11-kit/modules && exec \"$@\""
        let service = try serve(launcher: ["unshare", "-m", "sh", "-c", mount, "sh"])
        try expectSignatures(service)
    }

    @Test("A TPM by tpm2-pkcs11: signs; in lockout the right PIN is not called wrong")
    func tpm() throws {
        let tpm = try TestTPM(of: installation)
        let environment = tpm.environment
        let module = try TestToken.module("libtpm2_pkcs11.so.1")
        try installation.configure("pkcs11: { modules: [\(module)] }")
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        try directory.write("offers.pin", "4711\n", mode: 0o600)
        do {
            try expectSignatures(try serve(environment: environment), connections: 4, requests: 10)
        }
        try directory.write("offers.pin", "wrong\n", mode: 0o600)
        var errors = ""
        for _ in 0..<6 where !errors.contains("CKR_PIN_LOCKED") {
            errors = try installation.check(environment: environment).errors
        }
        try directory.write("offers.pin", "4711\n", mode: 0o600)
        let locked = try installation.check(environment: environment)
        locked.expect(78, "locked: wait, or unlock it with its own tool")
        #expect(!locked.errors.contains("correct the file"), "\(locked.errors)")
        tpm.stop()
    }
}

/// A TPM in software, with a key of an installation in the store of tpm2-pkcs11.
private final class TestTPM {
    let environment: [String: String]
    private let process: ChildProcess

    init(of installation: Installation) throws {
        let directory = installation.directory
        let socket = directory.path("tpm")
        process = try ChildProcess(
            "/usr/bin/env",
            [
                "sh", "-c",
                "mkdir -p '\(directory.path("tpm-state"))' && exec swtpm socket --tpm2 --tpmstate dir='\(directory.path("tpm-state"))' "
                    + "--ctrl type=unixio,path='\(socket).ctrl' --server type=unixio,path='\(socket)' "
                    + "--flags not-need-init,startup-clear",
            ]
        )
        environment = [
            "TPM2_PKCS11_STORE": directory.path("tpm-store"), "TPM2_PKCS11_TCTI": "swtpm:path=\(socket)",
            "TPM2TOOLS_TCTI": "swtpm:path=\(socket)", "TPM2_PKCS11_LOG_LEVEL": "0", "TSS2_LOG": "all+NONE",
        ]
        guard waitUntil({ FileManager.default.fileExists(atPath: socket) }) else { throw Failure(text: "no swtpm") }
        // Without a resource manager, what a tool has loaded stays until it is flushed: three objects are all.
        let outcome = try Executable.run(
            [
                "-euc",
                """
                cd '\(directory.path("."))'; mkdir tools tpm-store
                for tool in /usr/bin/tpm2_*; do
                    printf '#!/bin/sh\\n%s "$@"; status=$?; /usr/bin/tpm2_flushcontext -t >/dev/null 2>&1; exit $status\\n' \
                        "$tool" >"tools/${tool##*/}"
                done
                chmod +x tools/*; PATH=$PWD/tools:$PATH
                /usr/bin/tpm2_ptool init --path=tpm-store
                /usr/bin/tpm2_ptool addtoken --pid=1 --label=offers --userpin=4711 --sopin=0815 --path=tpm-store
                openssl pkey -in SubscriptionKey_TESTKEY001.p8 -out key.pem
                /usr/bin/tpm2_ptool import --label=offers --key-label=TESTKEY001 --userpin=4711 --privkey=key.pem \
                    --algorithm=ecc --path=tpm-store
                """,
            ],
            of: "/bin/sh",
            environment: environment
        )
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
    }

    func stop() {
        process.send(SIGTERM)
        _ = process.wait()
    }

    deinit { process.send(SIGKILL) }
}
