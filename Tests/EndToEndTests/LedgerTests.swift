import ChildProcess
import Foundation
import Testing

@Suite("The ledger", .serialized)
struct LedgerTests {
    private func request(_ account: String?) -> String { Customers.request(account) }

    @Test("After kill -9 under load, every signature that any client received is in the ledger, and it is in order")
    func killed() throws {
        let service = try RunningService()
        let load = Load(on: service, connections: 8)
        while load.count < 300 { usleep(1000) }
        service.kill()
        let received = Set(load.finish().filter { $0.status == 200 }.map(\.nonce))
        #expect(received.count >= 300)
        let recorded = Set(try service.installation.records().compactMap { $0["nonce"] as? String })
        #expect(received.subtracting(recorded).isEmpty)
        try service.installation.ledger("verify").expect(0)
        let restarted = try RunningService(service.installation)
        #expect(try restarted.sign(request("alice")).decisions.first?["discount"] != nil)
    }

    @Test(
        "One receipt serves three customers, however many orders each has; the fourth is refused, and requests for nobody, too"
    )
    func shared() throws {
        let installation = try Installation()
        try installation.limit(offer: "maxRedemptions: 3", app: "    customerSeparator: \"-\"\n")
        let service = try RunningService(installation)
        func reason(_ account: String) throws -> String? {
            try service.sign(request(account)).decisions.first?["reason"] as? String
        }
        for customer in 1...3 {
            for order in 1...4 { #expect(try reason("customer\(customer)-\(order)") == "active") }
        }
        let nobody = request(nil)
        #expect(try service.sign(nobody).decisions.first?["reason"] as? String == "active")
        #expect(try reason("customer4-1") == "evidence_shared")
        for path in ["/v1/signatures", "/v1/eligibility"] {
            let answer = try service.ask(path, nobody)
            #expect(answer.decisions.map { $0["reason"] as? String } == ["evidence_shared"])
        }
        // Whatever follows the separator: also a mark that makes one character of it for a reader.
        #expect(try reason("customer1-\u{301}5") == "active")
        #expect(try reason("customer1-5") == "active")
        let asked = try service.ask("/v1/eligibility", request("customer4-1"))
        #expect(asked.decisions.map { $0["reason"] as? String } == ["evidence_shared"])
        // A verifyReceipt answer that a client sends counts for its own request: nobody is answered without it, and
        // nothing of it is remembered.
        let tables = ["held_subscriptions", "held_accounts", "redemptions"]
        for table in tables { #expect(try installation.sql("SELECT COUNT(*) FROM \(table)") == "0\n", "\(table)") }
        for account in ["customer4-1", "customer1-5"] {
            let held = try service.sign(#"{"applicationUsername":"\#(account)",\#(Customers.offers("anyone"))}"#)
            #expect(held.decisions.first?["reason"] as? String == "no_evidence")
        }
    }

    @Test("The command line records, too, beside a running service, and says when eligibility was skipped")
    func commandLine() throws {
        let service = try RunningService()
        #expect(try service.sign(request("alice")).status == 200)
        let signed = try service.installation.sign("anyone", "--application-username", "bob", "--skip-eligibility")
        #expect(signed.status == 0, "\(signed.errors)")
        let line = try #require(
            signed.errors.split(separator: "\n").first { $0.contains("eligibility was not judged") }
        )
        #expect(
            line.contains("uid") && line.contains("\(geteuid())") && line.contains(ProcessInfo.processInfo.userName)
        )
        #expect(try service.sign(request("alice")).status == 200)
        let records = try service.installation.records()
        #expect(records.map { $0["client"] as? String } == ["backend", "offer-signer sign", "backend"])
        #expect(records.map { $0["reason"] as? String } == ["active", "eligibility_skipped", "active"])
        #expect(Set(records.compactMap { $0["writer"] as? String }).count == 2)
        let verified = try service.installation.ledger("verify")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.text.contains("3 records in 2 chains"))
        try service.installation.directory.write("receipt.json", Customers.active)
        let receipt = service.installation.directory.path("receipt.json")
        let judged = ["--application-username", "carol", "--receipt-response", receipt]
        #expect(try service.installation.sign("anyone", judged[0], judged[1], judged[2], judged[3]).status == 0)
        // The figures of the database are a minute old at the most: another service has them at once.
        service.stop()
        let funnel = try service.installation.ledger("funnel", "--json").text
        for count in ["asked", "eligible", "signed"] { #expect(funnel.contains("\"\(count)\":4"), "\(funnel)") }
        let (next, name) = (try RunningService(service.installation), "offer_signer_eligibility_skipped_signatures")
        #expect(try waitUntil { try next.metrics()[name] == 1 })
        let verifiedAt = try next.metrics()["offer_signer_ledger_verified_timestamp_seconds{database=\"sqlite\"}"]
        #expect(abs(Date().timeIntervalSince1970 - (verifiedAt ?? 0)) < 300)
    }

    @Test("Where the configuration says so, no signature is made without a decision")
    func decidedAlone() throws {
        let installation = try Installation()
        let flags = ["--application-username", "bob", "--ledger-allow-skipped-eligibility", "false"]
        let refused = try installation.sign("anyone", flags[0], flags[1], flags[2], flags[3], "--skip-eligibility")
        #expect(refused.status != 0 && refused.text.isEmpty)
        #expect(refused.errors.contains("ledger.allowSkippedEligibility is false"))
    }

    @Test("No account is in the ledger's files, and only the service's user can read them")
    func secrecy() throws {
        let service = try RunningService()
        #expect(try service.sign(request("anna.schmidt@example.com")).status == 200)
        let directory = service.installation.directory
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter {
            $0.hasPrefix("ledger.sqlite")
        }
        #expect(names.contains("ledger.sqlite.digest-key") && names.contains("ledger.sqlite.checkpoint-key.p8"))
        for name in names {
            let bytes = try Data(contentsOf: directory.url.appending(path: name))
            #expect(bytes.range(of: Data("anna.schmidt".utf8)) == nil, "\(name)")
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        #expect(!service.log.contains("anna"))
    }

    @Test(
        "Records are exported from a moment on, enough to compute the hashes anew, as Python does; a changed one is found"
    )
    func exported() throws {
        let service = try RunningService()
        for _ in 0..<3 { #expect(try service.sign(request("alice")).status == 200) }
        for past in ["2020-01-01T00:00:00Z", "1577836800000"] {
            #expect(try service.installation.ledger("export", "--since", past).text.contains("nonce"))
        }
        let later = try service.installation.ledger("export", "--since", "2120-01-01")
        #expect(later.status == 0 && later.text.isEmpty)
        for none in ["yesterday", "1577836800"] {
            let export = try service.installation.ledger("export", "--since", none)
            #expect(export.status == 64)
            #expect(export.errors.contains("12 to 15 digits") == (none != "yesterday"), "\(export.errors)")
        }
        let exported = try service.installation.ledger("export")
        try service.installation.directory.write("export.jsonl", exported.text)
        let script = """
            import hashlib, json, sys
            def number(value): return value.to_bytes(8, "big", signed=True)
            def data(value): return b"\\xff" * 4 if value is None else len(value).to_bytes(4, "big") + value
            def text(record, name): return data(record[name].encode() if name in record else None)
            previous = None
            for record in map(json.loads, open(sys.argv[1])):
                if previous:
                    message = b"offer-signer ledger record 1\\n" + data(previous) + text(record, "writer")
                    message += number(record["number"]) + number(record["time"])
                    for name in "client bundleId productId offerId format keyIdentifier nonce".split():
                        message += text(record, name)
                    message += number(record["timestamp"])
                    for name in "reason evidence environment originalTransactionId".split():
                        message += text(record, name)
                    account = record.get("accountDigest")
                    message += data(account and bytes.fromhex(account)) + data(bytes.fromhex(record["customerDigest"]))
                    print(hashlib.sha256(message).hexdigest() == record["hash"])
                previous = bytes.fromhex(record["hash"])
            """
        let computed = try Executable.run(
            ["-c", script, service.installation.directory.path("export.jsonl")],
            of: "/usr/bin/python3"
        )
        #expect(computed.text == "True\nTrue\n", "\(computed.errors)")
        try service.installation.sql("UPDATE ledger_records SET client = 'nobody' WHERE number = 3")
        let verified = try service.installation.ledger("verify")
        verified.expect(1, "broken: record 3 of chain ")
    }

    @Test("Nothing is forgotten, and nothing made, where there is no ledger")
    func noLedger() throws {
        let installation = try Installation()
        let account = "2b4e1a5c-6d7f-4a8b-9c0d-1e2f3a4b5c6d"
        let outcome = try installation.ledger("forget", "--app-account-token", account)
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
        #expect(outcome.errors.contains("there is no ledger where the configuration has it"))
        #expect(!FileManager.default.fileExists(atPath: installation.ledger))
        for command in ["export", "funnel", "holdouts", "migrate"] {
            let words = "there is no ledger where the configuration has it"
            try installation.ledger(command).expect(1, words, "the service's first start makes an SQLite ledger")
        }
        let verified = try installation.ledger("verify")
        verified.expect(1, "there is no ledger where the configuration has it")
        // Perhaps the service has it elsewhere.
        for words in ["\"\(installation.ledger)\"", "set STATE_DIRECTORY"] {
            #expect(verified.errors.contains(words), "\(verified.errors)")
        }
        try installation.keepLedger(in: "sqlite:ledger.sqlite")
        #expect(try !installation.ledger("verify").errors.contains("STATE_DIRECTORY"))
    }

    @Test("A ledger that is gone while its keys are there is made anew, and both check and the log say so")
    func ledgerGone() throws {
        let installation = try Installation()
        let sentence = "ledger.sqlite\" is not there, though its keys are"
        #expect(try !installation.check().errors.contains(sentence))
        for isGone in [false, true] {
            if isGone {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: installation.ledger + suffix)
                }
                let checked = try installation.check()
                checked.expect(0, "warning: ledger.url: \"", sentence)
            }
            let service = try RunningService(installation)
            #expect(try service.sign(request("alice")).status == 200)
            #expect(service.log.contains(sentence.replacing("\"", with: "\\\"")) == isGone, "\(service.log)")
            #expect(service.log.contains("a new ledger was made"), "\(service.log)")
            #expect(
                service.log.contains("its keys are older: if there was a ledger before") == isGone,
                "\(service.log)"
            )
            service.stop()
        }
        #expect(try !RunningService(installation).log.contains("a new ledger was made"))
        #expect(try !installation.check().errors.contains(sentence))
    }

    @Test("A ledger whose keys are gone is not opened, and gets no new ones")
    func keyGone() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        #expect(try service.sign(request("alice")).status == 200)
        service.stop()
        for key in ["digest-key", "checkpoint-key.p8"] {
            let path = installation.ledger + "." + key
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            for outcome in [try installation.serve(), try installation.check()] {
                outcome.expect(78, "ledger.sqlite." + key, "restore it from a backup")
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        }
    }
}
