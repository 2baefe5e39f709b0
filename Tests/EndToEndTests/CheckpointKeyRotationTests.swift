import ChildProcess
import Foundation
import Testing

@Suite("ledger rotate-checkpoint-key", .serialized, .timeLimit(.minutes(30)))
struct CheckpointKeyRotationTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private var key: String { installation.ledger + ".checkpoint-key.p8" }

    private func verified() throws -> [String: Any] {
        let outcome = try installation.ledger("verify", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.json
    }

    @Test("The key beside a ledger is replaced; a run that was interrupted is finished by the next one")
    func besideLedger() throws {
        #expect(try installation.sign("anyone", "--skip-eligibility").status == 0)
        try installation.directory.write("anchor.json", try installation.ledger("verify", "--json").text)
        let old = try Data(contentsOf: URL(filePath: key))
        // Of a run that did not come to change the ledger.
        try Data("half".utf8).write(to: URL(filePath: key + ".new"))
        let outcome = try installation.ledger("rotate-checkpoint-key")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("The checkpoint key was changed at"), "\(outcome.text)")
        let new = try Data(contentsOf: URL(filePath: key))
        #expect(new != old && !FileManager.default.fileExists(atPath: key + ".new"))
        #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
        #expect(try installation.sign("anyone", "--skip-eligibility").status == 0)
        #expect((try verified()["keyChanges"] as? [Any])?.count == 1)
        let anchor = installation.directory.path("anchor.json")
        let plain = try installation.ledger("verify", "--anchor", anchor)
        #expect(plain.status == 0 && plain.text.contains("The checkpoint key was changed at"), "\(plain.errors)")

        // As if the run had ended between the ledger and the file.
        try new.write(to: URL(filePath: key + ".new"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key + ".new")
        try old.write(to: URL(filePath: key))
        let refused = try installation.check()
        refused.expect(78, "rotate-checkpoint-key")
        #expect(try installation.ledger("verify").status == 1)
        #expect(try installation.ledger("rotate-checkpoint-key").status == 0)
        #expect(try Data(contentsOf: URL(filePath: key)) == new)
        #expect((try verified()["keyChanges"] as? [Any])?.count == 1)
        #expect(try installation.check().status == 0)
    }

    @Test("A key that the configuration names is replaced by another file, and not while a service runs")
    func named() throws {
        try installation.keepLedger(in: "sqlite:ledger.sqlite")
        try installation.makeKeyFile("new.p8")
        let file = installation.directory.path("new.p8")
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        try installation.ledger("rotate-checkpoint-key", "--new-key-file", file).expect(1, "stop every service")
        service.stop()
        let unnamed = try installation.ledger("rotate-checkpoint-key")
        #expect(unnamed.status == 64 && !unnamed.errors.contains("Usage"), "\(unnamed.errors)")
        let secret = "os_w2RkZp8YbQ7aTn5"
        let missing = try installation.ledger("rotate-checkpoint-key", "--new-key-file", secret)
        #expect(
            missing.status != 0 && missing.errors.contains("the ledger's new checkpoint key: "),
            "\(missing.errors)"
        )
        #expect(!missing.errors.contains(secret) && !missing.errors.contains("backup"), "\(missing.errors)")
        for words in ["The checkpoint key was changed at", "has the new key already"] {
            let outcome = try installation.ledger("rotate-checkpoint-key", "--new-key-file", file)
            #expect(outcome.status == 0 && outcome.text.contains(words), "\(outcome.text) \(outcome.errors)")
            #expect(outcome.text.contains("ledger.checkpointKeyFile"), "\(outcome.text)")
        }
        #expect(try installation.check().status == 78)
        #expect(try installation.check("--ledger-checkpoint-key-file", "new.p8").status == 0)
    }
}
