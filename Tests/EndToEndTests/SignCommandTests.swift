import ChildProcess
import Foundation
import Testing

@Suite("The commands sign and diagnose")
struct SignCommandTests {
    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.directory.write("receipt.json", Customers.active)
    }

    private var receipt: String { installation.directory.path("receipt.json") }

    @Test("Sign prints the service's answer, and believes a verifyReceipt answer for its own request alone")
    func signs() throws {
        let account = ["--application-username", "Alice"]
        let refused = try installation.sign("anyone", account[0], account[1])
        #expect(refused.status == 1)
        #expect(refused.decision["reason"] as? String == "no_evidence")
        #expect(!refused.errors.isEmpty)
        let outcome = try installation.sign("anyone", account[0], account[1], "--receipt-response", receipt)
        #expect(outcome.status == 0)
        // Nothing but where its record is.
        #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.contains("a new ledger was made") })
        let discount = try #require(outcome.decision["discount"] as? [String: Any])
        #expect(try installation.verifies(discount, account: "Alice"))
        let without = try installation.sign("anyone", account[0], account[1])
        #expect(without.status == 1, "\(without.errors)")
        #expect(without.decision["reason"] as? String == "no_evidence")
        // An operator may say otherwise, for an offer that there is.
        let skipped = try installation.sign("comeback50", account[0], account[1], "--skip-eligibility")
        #expect(skipped.status == 0)
        #expect(skipped.decision["discount"] != nil)
        let unknown = try installation.sign("nope", "--skip-eligibility")
        #expect(unknown.status == 1)
        #expect(unknown.decision["reason"] as? String == "offer_not_in_catalog")
    }

    @Test("Bad usage and work that failed have exit statuses of their own")
    func faults() throws {
        try installation.directory.write("bad.json", #"{"status":21003}"#)
        let bad = installation.directory.path("bad.json")
        for (offer, arguments, status) in [
            ("anyone", ["--app-account-token", "alice"], 64),
            ("anyone", ["--app-account-token", UUID().uuidString, "--application-username", "a"], 64),
            ("any\u{2063}one", [], 64), (String(repeating: "o", count: 256), [], 64), ("", [], 64),
            ("anyone", ["--format", "jws"], 1), ("anyone", ["--format", "xml"], 64),
            ("anyone", ["--format", "discount-for-storekit"], 64), ("anyone", ["--receipt-response", bad], 1),
            ("anyone", ["--bundle-id", "com.example.none"], 1),
        ] as [(String, [String], Int32)] {
            let app = arguments.contains("--bundle-id") ? [] : ["--bundle-id", Installation.bundleId]
            let outcome = try Executable.run(
                ["sign", "--config", installation.configuration, "--product-id", "pro.monthly", "--offer-id", offer]
                    + app + arguments
            )
            #expect(outcome.status == status, "\(offer) \(arguments): \(outcome.errors)")
            #expect(outcome.text.isEmpty)
            #expect(!outcome.errors.isEmpty)
            if arguments.first == "--format", status == 64 { outcome.expect(64, "--format <format>", "jws") }
        }
    }

    @Test("A username that is not UTF-8 is refused: other bytes would be signed than were meant")
    func malformedArgument() throws {
        let arguments = """
            "$0" sign --config "$1" --bundle-id com.example.reader --product-id pro.monthly --offer-id anyone \
            --skip-eligibility --application-username "$(printf 'a\\377b')"
            """
        let outcome = try Executable.run(["-c", arguments, Executable.path, installation.configuration], of: "/bin/sh")
        #expect(outcome.status == 64)
        #expect(outcome.text.isEmpty && outcome.errors.contains("is not UTF-8"), "\(outcome.errors)")
    }

    @Test("Diagnose names a signature's mistake in words, by the ledger")
    func diagnose() throws {
        let signed = try installation.sign("anyone", "--application-username", "ALICE", "--skip-eligibility")
        let discount = try #require(signed.decision["discount"] as? [String: Any])
        func report(account: String) throws -> String {
            let report: [String: Any?] = [
                "bundleId": Installation.bundleId, "productId": "pro.monthly", "applicationUsername": account,
                "offerId": discount["identifier"], "keyIdentifier": discount["keyIdentifier"],
                "nonce": discount["nonce"], "timestamp": discount["timestamp"], "signature": discount["signature"],
            ]
            let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
            try installation.directory.write("report.json", String(decoding: json, as: UTF8.self))
            return installation.directory.path("report.json")
        }
        let right = try installation.diagnose(report(account: "ALICE"))
        #expect(right.status == 0)
        #expect(right.text == "The signature is right for these values.\n")
        #expect(right.errors.isEmpty)
        let words = try installation.diagnose(report(account: "alice"))
        #expect(words.status == 1)
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
        arguments: [#"cat "$FILE" | "$0" "$@" 7<&0"#, #""$0" "$@" < "$FILE" 7< "$FILE""#, pipeThatDoesNotWait]
    )
    func pipes(script: String) throws {
        func start(_ arguments: [String]) throws -> ChildProcess {
            try ChildProcess("/bin/sh", ["-c", script, Executable.path] + arguments, environment: ["FILE": receipt])
        }
        let config = ["--config", installation.configuration]
        let named = ["--bundle-id", Installation.bundleId, "--product-id", "pro.monthly", "--offer-id", "anyone"]
        // All of them wait at once.
        let signing = try start(["sign"] + config + named + ["--receipt-response", "-"])
        let diagnosing = try ["-", "/dev/stdin", "/dev/fd/7", "/proc/self/fd/7"].map {
            ($0, try start(["diagnose"] + config + [$0]))
        }
        let signed = try signing.outcome()
        #expect(signed.status == 0, "\(signed.errors)")
        #expect(signed.decision["discount"] != nil)
        for (input, process) in diagnosing {
            let diagnosed = try process.outcome()
            #expect(diagnosed.status == 1)
            // It was read, and is no report.
            #expect(diagnosed.errors.contains("error: \(input) at /"), "\(diagnosed.errors)")
        }
    }

    @Test("A file that cannot be read is reported in the system's few words, an endless one and a report by its fault")
    func files() throws {
        for (path, reason) in [("/none", "No such file or directory"), ("/", "Is a directory")] {
            for outcome in [
                try installation.diagnose(path), try installation.sign("anyone", "--receipt-response", path),
            ] {
                #expect(outcome.status == 1)
                #expect(outcome.errors.hasSuffix("error: \(path) cannot be read: \(reason)\n"), "\(outcome.errors)")
            }
        }
        let endless = try installation.sign("anyone", "--receipt-response", "/dev/zero")
        endless.expect(1, "/dev/zero is longer than 16 MiB")
        try installation.directory.write("report.json", #"{"timestamp":1}"#)
        let path = installation.directory.path("report.json")
        let report = try installation.diagnose(path)
        report.expect(1, "\(path) at /bundleId: The member is missing")
    }
}
