import ChildProcess
import Foundation
import Testing

@Suite("The commands and their exit statuses")
struct CommandTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    @Test("Help and version are results; a typo is bad usage, and so is a command of offer-lab")
    func usage() throws {
        let cases: [([String], Int32)] = [
            (["--help"], 0), ([], 0), (["keys", "--help"], 0), (["keys", "inspect", "--help"], 0), (["sing"], 64),
            (["ledger", "rotate-checkpoint-key", "--help"], 0), (["help", "ledger", "rotate-checkpoint-key"], 0),
            (["serve"], 64), (["serve", "--config"], 64), (["check", "--colour"], 64), (["check", "--config", ""], 64),
            (["keys", "inspect"], 64), (["sign", "--config", "x"], 64), (["keys"], 64), (["clients"], 64),
            (["ledger"], 64), (["load"], 64), (["load", "--help"], 64), (["simulate-app-store", "--port", "0"], 64),
        ]
        for (arguments, status) in cases {
            let outcome = try Executable.run(arguments)
            #expect(outcome.status == status, "\(arguments)")
            #expect(outcome.text.isEmpty == (status != 0), "\(arguments)")
            #expect(outcome.errors.isEmpty == (status == 0), "\(arguments)")
            guard ["load", "simulate-app-store"].contains(arguments.first) else { continue }
            #expect(outcome.errors.contains("offer-lab") && outcome.errors.split(separator: "\n").count == 1)
        }
        let incomplete = try Executable.run(["ledger", "rotate-checkpoint-key"])
        incomplete.expect(64, "Missing expected argument '--config <file>'")
        try Executable.run(["keys", "inspect", "pkcs11:object=A"]).expect(64, "--module")
        let version = try Executable.run(["--version"])
        #expect(version.status == 0 && version.errors.isEmpty)
        #expect(try Executable.run(["--version"], of: Executable.lab).text == version.text, "both have one version")
    }

    @Test("The help of a command fits 24 lines of 80 columns, and a misspelt flag that it does not show is found")
    func help() throws {
        for command in [
            ["check"], ["diagnose"], ["keys", "inspect"], ["clients", "token"], ["ledger", "export"],
            ["ledger", "funnel"], ["ledger", "verify"], ["ledger", "show"], ["ledger", "forget"], ["catalog", "try"],
        ] {
            let text = try Executable.run(command + ["--help"]).text
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count) lines: \(lines)")
        }
        #expect(try Executable.run(["serve", "--help"]).text.contains("--server-port"))
        let misspelt = try installation.check("--server-prot", "1")
        misspelt.expect(64, "Did you mean '--server-port'?")
    }

    @Test("Check prints its findings")
    func check() throws {
        let fine = try installation.check("--strict")
        #expect(fine.status == 0)
        #expect(fine.errors.isEmpty)
        #expect(fine.text.contains("key TESTKEY001"))
        #expect(fine.text.contains("  without issuerId: transactionId as evidence"), "\(fine.text)")
        let kinds = "may send receiptResponse, receipt, signedTransactions, transactionId"
        #expect(fine.text.contains("client backend: \(Installation.bundleId); \(kinds)\n"), "\(fine.text)")
    }

    @Test("Check recommends confirmSignedTransactions where clients may send them and the App Store can be asked")
    func recommendsConfirmation() throws {
        func recommends(_ more: [String] = []) throws -> Bool {
            let outcome = try Executable.run(["check", "--config", installation.configuration] + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.text.contains("  recommended: evidence: { confirmSignedTransactions: true }")
        }
        #expect(try !recommends())
        let key = "file: SubscriptionKey_TESTKEY001.p8"
        try installation.edit("catalog.yaml", key, key + ", issuerId: 57246542-96fe-1a63-e053-0824d011072a")
        #expect(try recommends())
        #expect(try !recommends(["--evidence-confirm-signed-transactions", "true"]))
        try installation.edit("clients.yaml", "signedTransactions, ", "")
        #expect(try !recommends())
    }

    @Test("Check --strict is exit 78 where there is a warning, which it prints as always")
    func strict() throws {
        let open = ["--admin-host", "0.0.0.0"]
        let warned = try installation.check("--strict", open[0], open[1])
        #expect(warned.status == 78)
        #expect(warned.text.contains("key TESTKEY001") && !warned.text.contains("in order.\n"))
        #expect(warned.errors.contains("warning: --admin-host: "), "\(warned.errors)")
        #expect(warned.errors.contains("error: 1 warning, and --strict allows none\n"), "\(warned.errors)")
        #expect(try installation.check(open[0], open[1]).status == 0)
    }

    @Test("Serve refuses the same configuration as check, before it listens")
    func serveRefuses() throws {
        try installation.directory.write("none.sqlite", "this is no database, but long enough to be one", mode: 0o600)
        let database = "sqlite:" + installation.directory.path("none.sqlite")
        for (flag, value) in [("--ledger-url", database), ("--ledger-digest-key-file", installation.key)] {
            let (check, serve) = (try installation.check(flag, value), try installation.serve(flag, value))
            #expect(check.status == 78 && serve.status == 78, "\(serve.errors)")
            #expect(check.errors.contains("error: \(flag): ledger.") && serve.errors == check.errors, "\(check.errors)")
        }
        try installation.directory.write("catalog.yaml", "apps: []\n")
        let outcome = try installation.serve()
        #expect(outcome.status == 78)
        #expect(outcome.text.isEmpty)
        #expect(try Executable.run(["serve", "--config", installation.directory.path("none.yaml")]).status == 78)
    }

    @Test("Check warns of a host that this machine does not know, where serve could not listen")
    func unknownHost() throws {
        let checked = try installation.check("--server-host", "none.invalid", "--admin-host", "none.invalid")
        #expect(checked.status == 0)
        for listener in ["server", "admin"] {
            let words = "\(listener).host: \"none.invalid\" is not known to this machine"
            #expect(checked.errors.contains(words), "\(checked.errors)")
        }
        #expect(try installation.serve("--server-host", "none.invalid").status == 1)
    }

    @Test("A result that cannot be written is exit 1 with a message, and a message that cannot be changes nothing")
    func fullDisk() throws {
        func redirected(_ descriptor: String, to output: String, _ arguments: [String]) throws -> ChildProcess.Outcome {
            let script = #"exec "$0" "$@" \#(descriptor)>\#(output)"#
            return try Executable.run(["-c", script, Executable.path] + arguments, of: "/bin/sh")
        }
        #expect(try installation.sign("anyone", "--skip-eligibility").status == 0)
        let config = ["--config", installation.configuration]
        for (command, output, reason) in [
            (["check"] + config, "/dev/full", "No space left on device"),
            (["keys", "inspect", installation.key], "/dev/full", "No space left on device"),
            (["ledger", "export"] + config, "/dev/full", "No space left on device"),
            (["clients", "token"], "/dev/full", "No space left on device"),
            (["clients", "token"], "&-", "Bad file descriptor"),
        ] {
            let outcome = try redirected("1", to: output, command)
            #expect(outcome.status == 1, "\(command): \(outcome.errors)")
            #expect(outcome.errors.contains("standard output cannot be written: \(reason)\n"), "\(outcome.errors)")
        }
        for output in ["/dev/full", "&-"] {
            #expect(try redirected("2", to: output, ["check", "--config", "/nonexistent"]).status == 78)
        }
    }

    @Test("Keys inspect shows each key that can be read, names each file that cannot, and prints the public key alone")
    func inspect() throws {
        func inspect(_ arguments: String...) throws -> ChildProcess.Outcome {
            try Executable.run(["keys", "inspect"] + arguments)
        }
        let publicKey = try inspect("--public-key", installation.key)
        #expect(publicKey.status == 0)
        #expect(publicKey.text == (try String(contentsOfFile: installation.publicKey, encoding: .utf8)))
        try installation.directory.write("empty.p8", "", mode: 0o600)
        let mixed = try inspect(installation.directory.path("empty.p8"), installation.key)
        mixed.expect(1, "empty.p8")
        #expect(mixed.text.contains("TESTKEY001") && mixed.text.contains("self-test:   passed"), "\(mixed.text)")
        #expect(chmod(installation.key, 0o644) == 0)
        let open = try inspect(installation.key)
        #expect(open.status == 1 && open.text.contains("file mode:   0644"), "\(open.text)")
        #expect(open.errors.contains("chmod 600 \(installation.key)"), "\(open.errors)")
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
        #expect(try Installation.digest(of: first.token) == first.digest)
        #expect(try make().token != first.token)
    }
}
