import ChildProcess
import FakeServer
import Foundation
import ProcessMemory
import Testing

@Suite("Keys that stay in a token sign, and what their token does is told")
struct TokenTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func token(_ door: TestToken.Door, keys: [String] = ["TESTKEY001"]) throws -> TestToken {
        let token = try TestToken(of: installation, keys: keys, through: door)
        try installation.writeCatalog(keys: keys.map(TestToken.entry).joined(separator: ", "))
        return token
    }

    private func expectSignature(_ response: Response) throws {
        #expect(response.status == 200, "\(response.json)")
        let discount = try #require(response.decisions.first?["discount"] as? [String: Any])
        #expect(try installation.verifies(discount, account: "alice"))
    }

    private var request: String { Customers.request("alice", #""receiptResponse":\#(Customers.active)"#) }

    @Test(
        "In the process and in another one: checked, inspected and signed, without the key's file",
        arguments: [false, true]
    )
    func signs(isElsewhere: Bool) throws {
        let token = try token(isElsewhere ? .server : .softHSM)
        let server = isElsewhere ? try TokenServer(token, in: installation) : nil
        try FileManager.default.removeItem(atPath: installation.key)
        let check = try installation.check(environment: token.environment)
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.text.contains("in the token \"offers\", self-test passed, signs"), "\(check.text)")

        let service = try RunningService(
            installation,
            flags: ["--pkcs11-timeout-milliseconds", "5000"],
            environment: token.environment
        )
        try expectSignature(try service.sign(request))
        // Those of a tick go there together.
        let samples = Load(on: service, connections: 8, requests: 20).finish()
        #expect(samples.count == 160 && samples.allSatisfy { $0.status == 200 })
        #expect(try samples.allSatisfy { try installation.verifies($0.discount, account: "alice") })
        #expect(try service.metrics()[#"offer_signer_key_unavailable{key_id="TESTKEY001"}"#] == 0)
        try service.reload()
        try expectSignature(try service.sign(request))
        service.stop()
        for said in [check.text, check.errors, service.log, service.output] { #expect(!said.contains(TestToken.pin)) }
        server?.kill()
    }

    @Test("keys inspect shows token, label, curve, fingerprint and who may have it, as openssl computes it")
    func inspects() throws {
        let token = try token(.softHSM)
        let pin = TestToken.uri("TESTKEY001").replacing("offers.pin", with: installation.directory.path("offers.pin"))
        let inspection = try Executable.run(
            ["keys", "inspect", "--module", TestToken.softHSM, pin],
            environment: token.environment
        )
        #expect(inspection.status == 0, "\(inspection.errors)")
        let der = installation.directory.path("public.der")
        try installation.openssl("pkey", "-pubin", "-in", installation.publicKey, "-outform", "der", "-out", der)
        let fingerprint = try Executable.run([der], of: "/usr/bin/sha256sum").text.prefix(64)
        for line in [
            "token:         offers", "label:       TESTKEY001", "curve:       P-256", "SHA-256 \(fingerprint)",
            "sensitive:   yes", "extractable: no", "self-test:   passed",
        ] { #expect(inspection.text.contains(line), "\(inspection.text)") }
    }

    @Test(
        "A token that is away: 503 at once and nothing recorded, not ready, and back by itself",
        arguments: [false, true]
    )
    func away(isServerGone: Bool) throws {
        let token = try token(.server)
        var server = try TokenServer(token, in: installation)
        let service = try RunningService(installation, environment: token.environment)
        try expectSignature(try service.sign(request))
        let records = try installation.records().count

        // The process of the connection dies with each signature; or the server goes with all that it has.
        if isServerGone { server.kill() } else { try token.order("die") }
        let refused = try service.sign(request)
        #expect(refused.summary == "503 signing_unavailable")
        #expect(refused.headers["retry-after"] != nil)
        try service.expectFault("key TESTKEY001: ")
        #expect(try service.sign(request).status == 503)
        #expect(try installation.records().count == records)
        // A customer who gets nothing needs no token.
        let refusal = try service.sign(Customers.request("bob", #""receiptResponse":\#(Customers.neverSubscribed)"#))
        #expect(refusal.status == 200, "\(refusal.json)")
        let metrics = try service.metrics()
        #expect(metrics[#"offer_signer_key_unavailable{key_id="TESTKEY001"}"#] == 1)
        #expect(metrics.keys.contains { $0.hasPrefix(#"offer_signer_token_faults_total{cause="CKR_"#) })

        if isServerGone { server = try TokenServer(token, in: installation) } else { try token.order("ok") }
        try service.waitUntilReadiness(is: 200)
        try expectSignature(try service.sign(request))
        server.kill()
    }

    @Test("Requests that need no signature are answered while others wait for a token")
    func waitsElsewhere() throws {
        let token = try token(.told)
        try installation.edit("offer-signer.yaml", "pkcs11: {", "pkcs11: { timeoutMilliseconds: 5000,")
        let service = try RunningService(installation, environment: token.environment)
        try token.order("delay 3000")
        // More than there are event loops.
        let load = Load(on: service, connections: 8, requests: 1)
        usleep(300_000)
        for _ in 0..<16 {
            let eligibility = try service.ask("/v1/eligibility", request)
            #expect(eligibility.status == 200, "\(eligibility.json)")
        }
        #expect(load.count == 0, "the others waited for the token, too")
        #expect(load.finish().allSatisfy { $0.status == 200 })
    }

    @Test("A token that hangs does not hold up the answer to Apple: it comes in time, and nothing is recorded")
    func retentionCall() throws {
        let scene = try RetentionScene(asking: FakeServer { _ in .init(404, "{}") })
        let token = try TestToken(of: scene.installation, through: .told)
        try scene.installation.edit("offer-signer.yaml", "pkcs11: {", "pkcs11: { timeoutMilliseconds: 5000,")
        let uri = TestToken.uri("TESTKEY001")
        try scene.installation.edit("catalog.yaml", "file: SubscriptionKey_TESTKEY001.p8", "pkcs11: \"\(uri)\"")
        let service = try RunningService(scene.installation, environment: token.environment)
        try scene.notify(service, of: "1000", signed: 20, account: RetentionScene.account)
        #expect(try service.retention(scene.call("1000")).offerJWS != nil)
        try token.order("delay 4000")
        let late = try service.retention(scene.call("1000"))
        #expect(late.summary == "503 answer_timeout", "\(late.json)")
        #expect(try scene.installation.records().count == 1)
    }

    @Test("A self-test that cannot be made has failed: without random bytes a token's key is refused")
    func selfTestWithoutRandomBytes() throws {
        let token = try token(.softHSM)
        let source = "int RAND_bytes(unsigned char *bytes, int count) { (void)bytes; (void)count; return 0; }\n"
        let library = try SharedObject.build(source, named: "random.so", in: installation.directory)
        let check = try installation.check(environment: token.environment.merging(["LD_PRELOAD": library]) { $1 })
        #expect(check.status == 78 && check.errors.contains("keys[0].pkcs11"), "\(check.errors)")
    }

    @Test(
        "A module that another user could replace is not loaded, wherever a link leads to it",
        arguments: [(0o1777, "/open"), (0o775, "/open"), (0o755, "/open/token.so")]
    )
    func moduleOfOthers(mode: Int, names: String) throws {
        let token = try token(.told)
        let directory = try TrustedDirectory()
        let mark = installation.directory.path("mark")
        try installation.directory.write("mark.c", SharedObject.leavingMark(mark))
        let open = directory.path + "/open"
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        let module = try directory.buildModule(installation.directory.path("mark.c"), named: "open/token.so")
        #expect(chmod(module, mode == 0o755 ? 0o775 : 0o755) == 0 && chmod(open, mode_t(mode)) == 0)
        let link = installation.directory.path("link.so")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: module)
        try installation.edit("offer-signer.yaml", "modules: [\(token.told)]", "modules: [\(link)]")
        try installation.check(environment: token.environment).expect(78, "chmod go-w \(directory.path)\(names)")
        try Executable.run(
            ["keys", "inspect", "--module", link, "pkcs11:object=A"],
            environment: token.environment
        ).expect(1, "chmod go-w")
        #expect(!FileManager.default.fileExists(atPath: mark), "its code has run")
    }

    @Test("A wrong PIN is tried once for a reading, whatever needs it, and stops a start with exit code 78")
    func wrongPIN() throws {
        try installation.makeKey("SECONDKEY1")
        let token = try token(.told, keys: ["TESTKEY001", "SECONDKEY1"])
        try installation.directory.write("offers.pin", "wrong\n", mode: 0o600)
        for isServing in [false, true] {
            let outcome =
                try isServing
                ? installation.serve(environment: token.environment)
                : installation.check(environment: token.environment)
            outcome.expect(78, "refuses the PIN (CKR_PIN_INCORRECT); it was tried once")
            #expect(outcome.errors.contains("keys[0].pkcs11") && outcome.errors.contains("keys[1].pkcs11"))
            #expect(token.takeLogins() == 1)
        }
        let file = installation.directory.path("offers.pin")
        let uris = ["TESTKEY001", "SECONDKEY1"].map { TestToken.uri($0).replacing("offers.pin", with: file) }
        let inspect = ["keys", "inspect", "--module", token.told] + uris
        try Executable.run(inspect, environment: token.environment).expect(1, "refuses the PIN")
        #expect(token.takeLogins() == 1)
        try installation.directory.write("offers.pin", TestToken.pin, mode: 0o600)
        for (word, says) in [("final", "one more wrong PIN locks it"), ("locked", "is locked, and was not tried")] {
            try token.order(word)
            let outcome = try installation.check(environment: token.environment)
            #expect(outcome.status == 78 && outcome.errors.contains(says), "\(outcome.errors)")
            #expect(token.takeLogins() == 0)
        }
    }

    @Test("Neither a reload tries the PIN while the process is logged in, nor do the commands of the ledger")
    func reloadKeepsLogin() throws {
        let token = try token(.told)
        let service = try RunningService(installation, environment: token.environment)
        #expect(token.takeLogins() == 1)
        try installation.directory.write("offers.pin", "wrong\n", mode: 0o600)
        let details = try service.reload()
        #expect((details["reloads"] as? [String: Any])?["completed"] as? Int == 1)
        try expectSignature(try service.sign(request))
        #expect(token.takeLogins() == 0)
        service.stop()
        let config = ["--config", installation.configuration]
        for command in ["verify", "export", "funnel", "holdouts"] {
            let outcome = try Executable.run(["ledger", command] + config, environment: token.environment)
            #expect(outcome.status == 0 && token.takeLogins() == 0, "ledger \(command): \(outcome.errors)")
        }
    }

    @Test("A PIN in the place of its file is in no message")
    func notThePINItself() throws {
        let token = try token(.softHSM)
        try installation.edit("catalog.yaml", "file:offers.pin", TestToken.pin)
        let check = try installation.check(environment: token.environment)
        let uri = TestToken.uri("TESTKEY001").replacing("file:offers.pin", with: TestToken.pin)
        let inspect = try Executable.run(
            ["keys", "inspect", "--module", TestToken.softHSM, uri],
            environment: token.environment
        )
        check.expect(78, "the file that pin-source names: no such file")
        inspect.expect(1, "the file that pin-source names does not exist")
        #expect(!(check.errors + inspect.errors).contains(TestToken.pin))
    }

    @Test(
        "A reload brings no code into the process: a module is one of the start's, and another list waits for a restart"
    )
    func reloadLoadsNothing() throws {
        let token = try token(.told)
        let service = try RunningService(installation, environment: token.environment)
        try installation.edit("catalog.yaml", "?pin", "?module-path=\(TestToken.softHSM)&pin")
        try installation.edit("offer-signer.yaml", "modules: [\(token.told)]", "modules: [\(TestToken.softHSM)]")
        let reloads = try service.reload()["reloads"] as? [String: Any]
        let faults = try #require(reloads?["lastFaults"] as? [String])
        #expect(faults.count == 1 && faults[0].contains("none of the modules that the process was started with"))
        try installation.edit("catalog.yaml", "?module-path=\(TestToken.softHSM)&pin", "?pin")
        let warnings = try service.reload()["warnings"] as? [String] ?? []
        #expect(warnings.contains { $0.hasPrefix("pkcs11.modules has changed, which needs a restart") }, "\(warnings)")
        try expectSignature(try service.sign(request))
    }

    @Test("check warns of a key that the token would give away, and knows the demo key in a token, too")
    func checks() throws {
        let demo = URL(filePath: #filePath).appending(path: "../../../keys.example/SubscriptionKey_EXAMPLE123.p8")
        let file = installation.directory.path("SubscriptionKey_EXAMPLE123.p8")
        try FileManager.default.copyItem(atPath: demo.standardized.path, toPath: file)
        let token = try token(.softHSM, keys: ["EXAMPLE123"])
        let open = try installation.check("--server-host", "0.0.0.0", environment: token.environment)
        #expect(open.status == 78 && open.errors.contains("keys[0].pkcs11: is the demo key"), "\(open.errors)")

        try installation.openssl([
            "pkcs8", "-topk8", "-nocrypt", "-in", installation.key, "-outform", "der", "-out", file,
        ])
        try Executable.run(
            [
                "--module", TestToken.softHSM, "--token-label", "offers", "--login", "--pin", TestToken.pin,
                "--write-object", file, "--type", "privkey", "--usage-sign", "--extractable", "--label", "TESTKEY001",
            ],
            of: "/usr/bin/pkcs11-tool",
            environment: token.environment
        ).expect(0)
        try installation.writeCatalog(keys: TestToken.entry("TESTKEY001"))
        let without = try installation.check(environment: token.environment)
        #expect(without.status == 78 && without.errors.contains("name a file with its public key, publicKeyFile"))
        try installation.edit("catalog.yaml", "id: TESTKEY001,", "id: TESTKEY001, publicKeyFile: TESTKEY001.pem,")
        let check = try installation.check(environment: token.environment)
        #expect(check.status == 0 && check.errors.contains("the token would give the key \"TESTKEY001\" away"))
    }

    @Test("App Store Server API tokens are signed by it, and so is the format jws")
    func serverAPI() throws {
        let appStore = try RunningAppStore(for: installation)
        try installation.ask(appStore, products: "{ id: pro.monthly, offers: [{ id: anyone }] }")
        let token = try TestToken(of: installation, through: .softHSM)
        try installation.edit(
            "catalog.yaml",
            "file: SubscriptionKey_TESTKEY001.p8",
            "pkcs11: \"\(TestToken.uri("TESTKEY001"))\""
        )
        let service = try RunningService(installation, environment: token.environment)
        let id = try appStore.originalId(of: "lapsed")
        let response = try service.sign(
            #"{"evidence":{"transactionId":"\#(id)"},"formats":["jws"],\#(Customers.offers("anyone"))}"#
        )
        #expect(response.status == 200, "\(response.json)")
        #expect(response.decisions.first?["jws"] is String, "\(response.json)")
    }

    @Test(
        "With the token in another process nothing of the key is in the service; with SoftHSM inside, it is in its memory",
        .enabled(if: geteuid() == 0, "only root can look into it"),
        arguments: [false, true]
    )
    func memory(isElsewhere: Bool) throws {
        let patterns = try KeyPatterns(pem: String(contentsOfFile: installation.key, encoding: .utf8)).all
        let token = try token(isElsewhere ? .server : .softHSM)
        let server = isElsewhere ? try TokenServer(token, in: installation) : nil
        let planted = try SharedObject.build(PlantedSecrets.library, named: "planted.so", in: installation.directory)
        let service = try RunningService(
            installation,
            flags: ["--keys-secret-memory", "false", "--pkcs11-timeout-milliseconds", "5000"],
            environment: token.environment.merging(["LD_PRELOAD": planted]) { $1 }
        )
        let load = Load(on: service, connections: 12)
        var found = 0
        // SoftHSM decrypts it for a signature, and wipes it afterwards.
        for _ in 0..<(isElsewhere ? 20 : 1000) where isElsewhere || found == 0 {
            let memory = try ProcessMemory(of: service.identifier)
            try memory.findPlantedSecrets()
            for locked in [true, false] { found += try memory.counts(of: [patterns], locked: locked)[0] }
        }
        let statuses = Dictionary(grouping: load.stop(), by: \.status).mapValues(\.count)
        // On a busy machine a token may be late, or its queue full.
        #expect(statuses[200] != nil && Set(statuses.keys).isSubset(of: [200, 503]), "\(statuses)")
        #expect((found == 0) == isElsewhere, "\(found)")
        server?.kill()
    }
}
