import ChildProcess
import Foundation
import Testing

@Suite("The ledger's file, its log and its keys", .serialized, .timeLimit(.minutes(30)))
struct LedgerFilesTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private var log: String { installation.ledger + "-wal" }

    private static let onDisk = "sqlite:disk/ledger.sqlite"

    private func sign(_ count: Int, by service: RunningService) throws {
        for _ in 0..<count { #expect(try service.sign(Customers.request("alice")).decisions.first?["discount"] != nil) }
    }

    private func signByCommand() throws -> ChildProcess.Outcome {
        try installation.sign("anyone", "--application-username", "bob", "--skip-eligibility")
    }

    /// Expects that check and serve refuse the configuration, and sign to sign, with the same words.
    private func expectRefusals(_ words: String...) throws {
        for outcome in [try installation.check(), try installation.serve()] {
            // What check takes, serve would run with.
            try #require(outcome.status == 78)
            #expect(outcome.errors.contains(#/error: .*signer\.yaml(:[0-9]+)?: ledger\.url: /#), "\(outcome.errors)")
            for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        }
        let signed = try signByCommand()
        #expect(signed.status == 1 && signed.text.isEmpty)
        for word in words { #expect(signed.errors.contains(word), "\(signed.errors)") }
    }

    private func expectRecords(_ count: Int, in installation: Installation) throws {
        let verified = try installation.ledger("verify")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.text.hasPrefix("\(count) records in "), "\(verified.text)")
    }

    @Test("A stop beside another service that uses the file brings the log's records into it, and fails nothing")
    func shared() throws {
        let services = [try RunningService(installation), try RunningService(installation)]
        for service in services { try sign(2, by: service) }
        services[0].stop()
        try sign(1, by: services[1])
        services[1].stop()
        #expect(!FileManager.default.fileExists(atPath: log))
        try expectRecords(5, in: installation)
    }

    @Test("A file that has lost its log, with all that was in it, is refused as long as its keys are there")
    func logLost() throws {
        let service = try RunningService(installation)
        try sign(5, by: service)
        service.kill()
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: installation.ledger + suffix) }
        let refusal = "has no ledger in it, though its keys are there"
        try expectRefusals(refusal, "restore the file from a backup, or delete it")
        try Data().write(to: URL(filePath: installation.ledger))
        #expect(try installation.check().errors.contains(refusal))
        try FileManager.default.removeItem(atPath: installation.ledger)
        let anew = try RunningService(installation)
        #expect(anew.log.contains("is not there, though its keys are"))
        try sign(1, by: anew)
    }

    @Test("A ledger that others may write past the service is refused by check and serve alike, before it is opened")
    func exposed() throws {
        try serve(signing: 1)
        let other = installation.ledger + ".other"
        try FileManager.default.linkItem(atPath: installation.ledger, toPath: other)
        try expectRefusals("has 2 names (hard links)")
        try FileManager.default.removeItem(atPath: other)
        #expect(chmod(installation.ledger, 0o666) == 0)
        try expectRefusals("run `chmod o-w ")
    }

    @Test("The output of --json is an anchor: by it an old copy of the file in the place of the newest is found")
    func anchor() throws {
        try serve(signing: 2)
        let old = installation.ledger + ".old"
        try FileManager.default.copyItem(atPath: installation.ledger, toPath: old)
        try serve(signing: 3)
        let printed = try installation.ledger("verify", "--json")
        #expect(printed.status == 0 && printed.text.split(separator: "\n").count == 1, "\(printed.errors)")
        let found = printed.json
        #expect(found["inOrder"] as? Bool == true)
        #expect(found["chains"] as? Int == 2 && found["records"] as? Int == 5)
        // Both services were stopped, and have signed the ends of their chains.
        #expect((found["openChains"] as? [Any])?.isEmpty == true)
        #expect((found["checkpoint"] as? [String: Any])?["signature"] is String)
        try installation.directory.write("anchor.json", printed.text)
        let anchor = installation.directory.path("anchor.json")
        #expect(try installation.ledger("verify", "--anchor", anchor).status == 0)
        try FileManager.default.removeItem(atPath: installation.ledger)
        try FileManager.default.moveItem(atPath: old, toPath: installation.ledger)
        #expect(try installation.ledger("verify").status == 0)
        let verified = try installation.ledger("verify", "--anchor", anchor)
        verified.expect(1, "broken: the ledger: there are 1 chains, and there were 2")
        try installation.directory.write("anchor.json", "{}")
        let refused = try installation.ledger("verify", "--anchor", anchor)
        refused.expect(1, "is not what `ledger verify --json` prints")
    }

    /// Lets the service sign, and stops it.
    private func serve(signing count: Int) throws {
        let service = try RunningService(installation)
        try sign(count, by: service)
        service.stop()
    }

    @Test(
        "A first start on a full disk leaves nothing that keeps the next one from beginning the ledger",
        .enabled(if: geteuid() == 0, "it takes a mount"),
        // Room for nothing, for the keys alone, for a piece of the index of the log, and for a piece of the tables.
        arguments: [0, 2, 5, 24]
    )
    func fullDisk(freePages: Int) throws {
        try installation.mountDisk()
        defer { installation.unmountDisk() }
        try installation.fillDisk(freePages: freePages)
        let failed = try installation.serve("--ledger-url", Self.onDisk)
        #expect(failed.status == 1)
        let words =
            freePages > 0 ? ["the ledger cannot be opened"] : ["No space left on device", "file system to have room"]
        for words in words { #expect(failed.errors.contains(words), "\(failed.errors)") }
        #expect(!FileManager.default.fileExists(atPath: installation.disk + "/ledger.sqlite"))
        try FileManager.default.removeItem(atPath: installation.disk + "/filler")
        let service = try RunningService(installation, flags: ["--ledger-url", Self.onDisk])
        try sign(1, by: service)
    }

    @Test("The sign command says where it makes a ledger, and makes none in the place of one that is gone")
    func commandLine() throws {
        let first = try signByCommand()
        first.expect(0, "a new ledger was made, \"\(installation.ledger)\"")
        #expect(try !signByCommand().errors.contains("ledger was made"))
        try FileManager.default.removeItem(atPath: installation.ledger)
        let signed = try signByCommand()
        #expect(signed.status == 1 && signed.text.isEmpty)
        #expect(signed.errors.contains("is not there, though its keys are; put it back"), "\(signed.errors)")
        #expect(!FileManager.default.fileExists(atPath: installation.ledger))
    }
}
