import ChildProcess
import Foundation
import Testing

@Suite("The commands and their exit statuses")
struct CommandTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func sign(_ arguments: String...) throws -> ChildProcess.Outcome {
        try Executable.run(
            [
                "sign", "--config", installation.configuration, "--bundle-id", Installation.bundleId, "--product-id",
                "pro.monthly",
            ] + arguments
        )
    }

    private func decision(_ outcome: ChildProcess.Outcome) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        return try #require((json?["decisions"] as? [[String: Any]])?.first)
    }

    @Test(
        "Help and version are results; a typo is bad usage",
        arguments: [
            (["--help"], 0), (["--version"], 0), (["serve", "--help"], 0), (["keys", "inspect", "--help"], 0),
            ([], 0), (["sing"], 64), (["serve"], 64), (["serve", "--config"], 64), (["check", "--colour"], 64),
            (["keys", "inspect"], 64), (["sign", "--config", "x"], 64),
            (["keys"], 64), (["clients"], 64), (["ledger"], 64), (["keys", "--help"], 0),
            (["check", "--config", ""], 64),
        ] as [([String], Int32)]
    )
    func usage(arguments: [String], status: Int32) throws {
        let outcome = try Executable.run(arguments)
        #expect(outcome.status == status)
        #expect(outcome.text.isEmpty == (status != 0))
        #expect(outcome.errors.isEmpty == (status == 0))
    }

    @Test(
        "The help of a command fits 24 lines of 80 columns, and a misspelt flag that it does not show is found",
        arguments: [
            ["check"], ["diagnose"], ["keys", "inspect"], ["clients", "token"], ["ledger", "export"],
            ["ledger", "funnel"], ["ledger", "verify"],
        ]
    )
    func help(of command: [String]) throws {
        let text = try Executable.run(command + ["--help"]).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count) lines: \(lines)")
        #expect(try Executable.run(["serve", "--help"]).text.contains("--server-port"))
        let misspelt = try Executable.run(["check", "--config", installation.configuration, "--server-prot", "1"])
        #expect(misspelt.status == 64)
        #expect(misspelt.errors.contains("Did you mean '--server-port'?"), "\(misspelt.errors)")
    }

    @Test("A command of offer-lab is bad usage here, and one line names it", arguments: ["load", "simulate-app-store"])
    func moved(command: String) throws {
        for arguments in [[command], [command, "--help"], [command, "--port", "0"]] {
            let outcome = try Executable.run(arguments)
            #expect(outcome.status == 64)
            #expect(outcome.text.isEmpty)
            #expect(outcome.errors.contains("offer-lab") && outcome.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("Both executables have one version")
    func version() throws {
        let lab = try Executable.run(["--version"], of: Executable.lab)
        #expect(lab.status == 0)
        #expect(lab.text == (try Executable.run(["--version"]).text))
    }

    @Test("Check prints its findings; a fault is exit 78, and every fault is there")
    func check() throws {
        let fine = try Executable.run(["check", "--config", installation.configuration])
        #expect(fine.status == 0)
        #expect(fine.errors.isEmpty)
        #expect(fine.text.contains("key TESTKEY001"))
        #expect(fine.text.contains("  without issuerId: transactionId as evidence"), "\(fine.text)")
        let kinds = "may send receiptResponse, receipt, signedTransactions, transactionId"
        #expect(fine.text.contains("client backend: \(Installation.bundleId); \(kinds)\n"), "\(fine.text)")
        try installation.directory.write(
            "clients.yaml",
            "clients: [{ name: b, tokenSHA256: xyz, apps: [com.example.none], colour: red }]\n"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: installation.key)
        let faulty = try Executable.run(["check", "--config", installation.configuration, "--server-port", "70000"])
        #expect(faulty.status == 78)
        #expect(faulty.text.isEmpty)
        for place in [
            "clients.yaml:1: clients[0].tokenSHA256", "clients.yaml:1: clients[0].apps[0]",
            "clients.yaml:1: clients[0].colour",
            "--server-port", "catalog.yaml:3: apps[0].keys[0].file", "chmod 600",
        ] {
            #expect(faulty.errors.contains(place), "\(place) is missing in \(faulty.errors)")
        }
    }

    @Test("Check recommends confirmSignedTransactions where clients may send them and the App Store can be asked")
    func recommendsConfirmation() throws {
        func recommends(_ more: String...) throws -> Bool {
            let outcome = try Executable.run(["check", "--config", installation.configuration] + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.text.contains("  recommended: evidence: { confirmSignedTransactions: true }")
        }
        func edit(_ name: String, _ old: String, _ new: String) throws {
            let text = try String(contentsOfFile: installation.directory.path(name), encoding: .utf8)
            try #require(text.ranges(of: old).count == 1, "\(text)")
            try installation.directory.write(name, text.replacing(old, with: new))
        }
        #expect(try !recommends())
        let key = "file: SubscriptionKey_TESTKEY001.p8"
        try edit("catalog.yaml", key, key + ", issuerId: 57246542-96fe-1a63-e053-0824d011072a")
        #expect(try recommends())
        #expect(try !recommends("--evidence-confirm-signed-transactions", "true"))
        try edit("clients.yaml", "signedTransactions, ", "")
        #expect(try !recommends())
    }

    @Test("Check --strict is exit 78 where there is a warning, which it prints as always")
    func strict() throws {
        let arguments = ["check", "--strict", "--config", installation.configuration]
        let fine = try Executable.run(arguments)
        #expect(fine.status == 0 && fine.errors.isEmpty, "\(fine.errors)")
        let open = ["--admin-host", "0.0.0.0"]
        let warned = try Executable.run(arguments + open)
        #expect(warned.status == 78)
        #expect(warned.text.contains("key TESTKEY001") && !warned.text.contains("in order.\n"))
        #expect(warned.errors.contains("warning: --admin-host: "), "\(warned.errors)")
        #expect(warned.errors.contains("error: 1 warning, and --strict allows none\n"), "\(warned.errors)")
        #expect(try Executable.run(["check", "--config", installation.configuration] + open).status == 0)
    }

    @Test("Serve refuses the same configuration as check, before it listens")
    func serveRefuses() throws {
        try installation.directory.write("catalog.yaml", "apps: []\n")
        let outcome = try Executable.run(["serve", "--config", installation.configuration])
        #expect(outcome.status == 78)
        #expect(outcome.text.isEmpty)
        #expect(try Executable.run(["serve", "--config", installation.directory.path("none.yaml")]).status == 78)
    }

    @Test("Where a port is taken, serve names the setting", arguments: ["server", "admin"])
    func portTaken(listener: String) throws {
        let other = try RunningService()
        let taken = listener == "server" ? other.server.port : other.admin.port
        let outcome = try Executable.run([
            "serve", "--config", installation.configuration, "--\(listener)-port", "\(taken)",
        ])
        #expect(outcome.status == 1)
        let fix =
            "127.0.0.1:\(taken): Address already in use; stop the other program that listens there, or set another "
        #expect(outcome.errors.contains("\(fix)\(listener).port"), "\(outcome.errors)")
    }

    @Test("A ledger that check refuses, serve refuses as well, as a fault of the configuration")
    func serveRefusesLedger() throws {
        try installation.directory.write("none.sqlite", "this is no database, but long enough to be one", mode: 0o600)
        let database = "sqlite:" + installation.directory.path("none.sqlite")
        for flags in [["--ledger-url", database], ["--ledger-digest-key-file", installation.key]] {
            let check = try Executable.run(["check", "--config", installation.configuration] + flags)
            let serve = try Executable.run(["serve", "--config", installation.configuration] + flags)
            #expect(check.status == 78 && serve.status == 78, "\(serve.errors)")
            #expect(check.errors.contains("error: ledger.") && serve.errors == check.errors, "\(check.errors)")
        }
    }

    @Test("A username that is not UTF-8 is refused: other bytes would be signed than were meant")
    func malformedArgument() throws {
        let arguments = """
            "$0" sign --config "$1" --bundle-id com.example.reader --product-id pro.monthly --offer-id anyone \
            --skip-eligibility --application-username "$(printf 'a\\377b')"
            """
        let outcome = try Executable.run(
            ["-c", arguments, Executable.path, installation.configuration],
            of: "/bin/sh"
        )
        #expect(outcome.status == 64)
        #expect(outcome.text.isEmpty && outcome.errors.contains("is not UTF-8"), "\(outcome.errors)")
    }

    @Test("Check warns of a host that this machine does not know, where serve could not listen")
    func unknownHost() throws {
        for flag in ["--server-host", "--admin-host"] {
            let arguments = ["--config", installation.configuration, flag, "none.invalid"]
            let checked = try Executable.run(["check"] + arguments)
            #expect(checked.status == 0)
            #expect(checked.errors.contains(#".host: "none.invalid" is not known to this machine"#))
            #expect(try Executable.run(["serve"] + arguments).status == 1)
        }
    }

    @Test("Sign prints the service's answer, and openssl verifies it")
    func signs() throws {
        try installation.directory.write("receipt.json", Customers.active)
        let outcome = try sign(
            "--offer-id",
            "anyone",
            "--application-username",
            "Alice",
            "--receipt-response",
            installation.directory.path("receipt.json")
        )
        #expect(outcome.status == 0)
        // Nothing but where its record is.
        #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.contains("a new ledger was made") })
        let discount = try #require(try decision(outcome)["discount"] as? [String: Any])
        #expect(try installation.verifies(discount, product: "pro.monthly", account: "Alice"))
    }

    @Test("Sign refuses without evidence, unless the operator says otherwise")
    func skipEligibility() throws {
        let refused = try sign("--offer-id", "comeback50", "--application-username", "a")
        #expect(refused.status == 1)
        #expect(try decision(refused)["reason"] as? String == "no_evidence")
        #expect(!refused.errors.isEmpty)
        let skipped = try sign("--offer-id", "comeback50", "--application-username", "a", "--skip-eligibility")
        #expect(skipped.status == 0)
        #expect(try decision(skipped)["discount"] != nil)
        let unknown = try sign("--offer-id", "nope", "--skip-eligibility")
        #expect(unknown.status == 1)
        #expect(try decision(unknown)["reason"] as? String == "offer_not_in_catalog")
    }

    @Test("Sign believes a verifyReceipt answer for its own request alone")
    func signForgets() throws {
        let customer = ["--offer-id", "anyone", "--application-username", "bea"]
        let arguments = [
            "sign", "--config", installation.configuration, "--bundle-id", Installation.bundleId, "--product-id",
            "pro.monthly",
        ]
        #expect(try Executable.run(arguments + customer).status == 1)
        try installation.directory.write("receipt.json", Customers.active)
        let evidence = ["--receipt-response", installation.directory.path("receipt.json")]
        #expect(try Executable.run(arguments + customer + evidence).status == 0)
        let without = try Executable.run(arguments + customer)
        #expect(without.status == 1, "\(without.errors)")
        #expect(try decision(without)["reason"] as? String == "no_evidence")
    }

    @Test(
        "A result that cannot be written is exit 1 with a message, and a message that cannot be changes nothing",
        arguments: [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")]
    )
    func fullDisk(output: String, reason: String) throws {
        let redirected = { (descriptor: String, arguments: [String]) in
            try Executable.run(
                ["-c", #"exec "$0" "$@" \#(descriptor)>\#(output)"#, Executable.path] + arguments,
                of: "/bin/sh"
            )
        }
        #expect(try sign("--offer-id", "anyone", "--skip-eligibility").status == 0)
        for arguments in [
            ["check", "--config", installation.configuration], ["clients", "token"],
            ["keys", "inspect", installation.key], ["ledger", "export", "--config", installation.configuration],
        ] {
            let outcome = try redirected("1", arguments)
            #expect(outcome.status == 1, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("standard output cannot be written: \(reason)\n"), "\(outcome.errors)")
        }
        #expect(try redirected("2", ["check", "--config", "/nonexistent"]).status == 78)
    }

    @Test("Sign has exit statuses of their own for bad usage and for work that failed")
    func signFaults() throws {
        try installation.directory.write("bad.json", #"{"status":21003}"#)
        let bad = installation.directory.path("bad.json")
        let statuses = [
            (["--offer-id", "anyone", "--app-account-token", "alice"], 64),
            (["--offer-id", "anyone", "--app-account-token", UUID().uuidString, "--application-username", "a"], 64),
            (["--offer-id", "any\u{2063}one"], 64), (["--offer-id", String(repeating: "o", count: 256)], 64),
            (["--offer-id", ""], 64), (["--offer-id", "anyone", "--format", "jws"], 1),
            (["--offer-id", "anyone", "--format", "xml"], 64),
            (["--offer-id", "anyone", "--receipt-response", bad], 1),
            (["--offer-id", "anyone", "--receipt-response", "/nonexistent"], 1),
            (["--offer-id", "anyone", "--bundle-id", "com.example.none"], 1),
        ]
        for (arguments, status) in statuses {
            let outcome = try Executable.run(
                ["sign", "--config", installation.configuration, "--product-id", "pro.monthly"]
                    + (arguments.contains("--bundle-id") ? [] : ["--bundle-id", Installation.bundleId]) + arguments
            )
            #expect(outcome.status == Int32(status), "\(arguments): \(outcome.errors)")
            #expect(outcome.text.isEmpty)
            #expect(!outcome.errors.isEmpty)
        }
    }

    @Test("Diagnose names a signature's mistake, in words or as JSON")
    func diagnose() throws {
        let signed = try sign("--offer-id", "anyone", "--application-username", "ALICE", "--skip-eligibility")
        let discount = try #require(try decision(signed)["discount"] as? [String: Any])
        func report(account: String, _ arguments: String...) throws -> ChildProcess.Outcome {
            let report: [String: Any?] = [
                "bundleId": Installation.bundleId, "productId": "pro.monthly", "applicationUsername": account,
                "offerId": discount["identifier"], "keyIdentifier": discount["keyIdentifier"],
                "nonce": discount["nonce"], "timestamp": discount["timestamp"], "signature": discount["signature"],
            ]
            let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
            try installation.directory.write("report.json", String(decoding: json, as: UTF8.self))
            let path = installation.directory.path("report.json")
            return try Executable.run(["diagnose", "--config", installation.configuration, path] + arguments)
        }
        let right = try report(account: "ALICE")
        #expect(right.status == 0)
        #expect(right.text == "The signature is right for these values.\n")
        #expect(right.errors.isEmpty)
        let wrong = try report(account: "alice", "--json")
        #expect(wrong.status == 1)
        let causes = try JSONSerialization.jsonObject(with: wrong.output) as? [String: Any]
        #expect(causes?["valid"] as? Bool == false)
        #expect((causes?["causes"] as? [[String: Any]])?.first?["code"] as? String == "account_case")
        let words = try report(account: "alice")
        #expect(words.text.hasPrefix("The service signed the account in another case with this nonce."))
    }

    /// A pipe that says "not yet" instead of waiting, and is still empty when it is first read.
    private static let pipeThatDoesNotWait = #"""
        { sleep 2; cat "$FILE"; } | python3 -c '
        import os, sys
        os.set_blocking(0, False)
        os.execv(sys.argv[1], sys.argv[1:])' "$0" "$@" 7<&0
        """#

    @Test(
        "Another program's output can be read as it comes",
        arguments: ["-", "/dev/stdin", "/dev/fd/7", "/proc/self/fd/7"],
        [#"cat "$FILE" | "$0" "$@" 7<&0"#, #""$0" "$@" < "$FILE" 7< "$FILE""#, pipeThatDoesNotWait]
    )
    func pipes(input: String, script: String) throws {
        try installation.directory.write("receipt.json", Customers.active)
        let sign = [
            "sign", "--config", installation.configuration, "--bundle-id", Installation.bundleId, "--product-id",
            "pro.monthly", "--offer-id", "anyone", "--application-username", "a", "--receipt-response", input,
        ]
        let environment = ["FILE": installation.directory.path("receipt.json")]
        let signed = try Executable.run(
            ["-c", script, Executable.path] + sign,
            of: "/bin/sh",
            environment: environment
        )
        #expect(signed.status == 0, "\(signed.errors)")
        #expect(try decision(signed)["discount"] != nil)
        let diagnose = ["diagnose", "--config", installation.configuration, input]
        let diagnosed = try Executable.run(
            ["-c", script, Executable.path] + diagnose,
            of: "/bin/sh",
            environment: environment
        )
        #expect(diagnosed.status == 1)
        // It was read, and is no report.
        #expect(diagnosed.errors.contains("error: \(input) at /"), "\(diagnosed.errors)")
    }

    @Test("An endless file is not read for ever")
    func endless() throws {
        let outcome = try sign("--offer-id", "anyone", "--receipt-response", "/dev/zero")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/dev/zero is longer than 16 MiB"), "\(outcome.errors)")
    }

    @Test("A file of the command line that cannot be read is reported in the system's few words")
    func missingFiles() throws {
        for (path, reason) in [("/none", "No such file or directory"), ("/", "Is a directory")] {
            let report = try Executable.run(["diagnose", "--config", installation.configuration, path])
            #expect(report.status == 1)
            #expect(report.errors.hasSuffix("error: \(path) cannot be read: \(reason)\n"), "\(report.errors)")
            let answer = try sign("--offer-id", "anyone", "--receipt-response", path)
            #expect(answer.status == 1)
            #expect(answer.errors.hasSuffix("error: \(path) cannot be read: \(reason)\n"), "\(answer.errors)")
        }
    }

    @Test("The error of a report without an app names the missing member")
    func reportWithoutApp() throws {
        try installation.directory.write("report.json", #"{"timestamp":1}"#)
        let path = installation.directory.path("report.json")
        let outcome = try Executable.run(["diagnose", "--config", installation.configuration, path])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("\(path) at /bundleId: The member is missing"), "\(outcome.errors)")
    }

    @Test("Keys inspect shows the public key, and nothing that is private")
    func inspect() throws {
        let fine = try Executable.run(["keys", "inspect", installation.key])
        #expect(fine.status == 0)
        let spki = try Executable.run(
            ["-c", "openssl pkey -in '\(installation.key)' -pubout -outform DER | sha256sum"],
            of: "/bin/sh"
        ).text.prefix(64)
        for fact in ["TESTKEY001", "P-256", String(spki), "0600", "passed"] {
            #expect(fine.text.contains(fact), "\(fact) is missing in \(fine.text)")
        }
        let publicKey = try Executable.run(["keys", "inspect", "--public-key", installation.key])
        #expect(publicKey.status == 0)
        let known = try Executable.run(["pkey", "-in", installation.key, "-pubout"], of: "/usr/bin/openssl").text
        #expect(publicKey.text == known)
        try installation.directory.write("empty.p8", "", mode: 0o600)
        let mixed = try Executable.run(["keys", "inspect", installation.directory.path("empty.p8"), installation.key])
        #expect(mixed.status == 1)
        #expect(mixed.errors.contains("empty.p8"))
        #expect(mixed.text.contains("TESTKEY001"))
        #expect(chmod(installation.key, 0o644) == 0)
        let open = try Executable.run(["keys", "inspect", installation.key])
        #expect(chmod(installation.key, 0o600) == 0)
        #expect(open.status == 1)
        #expect(open.text.contains("file mode:   0644"), "\(open.text)")
        #expect(open.errors.contains("chmod 600 \(installation.key)"), "\(open.errors)")
        let scalar = try Executable.run(
            ["-c", "openssl pkey -in '\(installation.key)' -text -noout | sed -n '3,5p' | tr -d ' :\\n' | tail -c 64"],
            of: "/bin/sh"
        ).text
        #expect(scalar.count == 64)
        #expect(!(fine.text + fine.errors + mixed.errors).lowercased().contains(scalar.prefix(16)))
    }

    @Test("A client token is new each time, and its digest is sha256sum's")
    func token() throws {
        func make() throws -> (token: String, digest: String) {
            let outcome = try Executable.run(["clients", "token"])
            #expect(outcome.status == 0)
            let match = try #require(
                outcome.text.firstMatch(of: /token: (os_[A-Za-z0-9_-]{43})\ntokenSHA256: "([0-9a-f]{64})"\n/)
            )
            return (String(match.1), String(match.2))
        }
        let first = try make()
        let digest = try Executable.run([], of: "/usr/bin/sha256sum", input: Data(first.token.utf8))
            .text
        #expect(digest.hasPrefix(first.digest))
        #expect(try make().token != first.token)
    }
}
