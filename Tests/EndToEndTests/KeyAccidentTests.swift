import ChildProcess
import Foundation
import Testing

/// The key file of an installation, as its owner might have it after some copying and pasting.
@Suite("Keys as users have them: check and keys inspect say what happened, and what to do")
struct KeyAccidentTests {
    private struct Accident {
        let says: String
        let change: (String) -> Data
    }

    private let installation: Installation

    init() throws { installation = try Installation() }

    private func check() throws -> ChildProcess.Outcome {
        try Executable.run(["check", "--config", installation.configuration])
    }

    @Test("An accident is named by both commands, with what to do, and nothing of the key")
    func accident() throws {
        let secrets = try Secrets(of: installation, and: [])
        let text = try String(contentsOfFile: installation.key, encoding: .utf8)
        let accidents = [
            Accident(says: #"has its line ends written as "\n""#) { Data($0.replacing("\n", with: #"\n"#).utf8) },
            Accident(says: "is the Base64 of a PEM file") { Data(Data($0.utf8).base64EncodedString().utf8) },
        ]
        for accident in accidents {
            try accident.change(text).write(to: URL(filePath: installation.key))
            let (checked, inspected) = (try check(), try Executable.run(["keys", "inspect", installation.key]))
            #expect(checked.status == 78 && inspected.status == 1)
            for outcome in [checked, inspected] {
                #expect(outcome.errors.contains(accident.says), "\(outcome.errors)")
                #expect(outcome.errors.contains(". To convert it: "))
                #expect(secrets.pieces(in: outcome.text + outcome.errors).isEmpty)
            }
        }
        try text.replacing("\n", with: "\r\n").write(toFile: installation.key, atomically: false, encoding: .utf8)
        #expect(try check().status == 0)
    }

    @Test(
        "The fault of a broken file is message with the file's name, however long that is",
        arguments: [
            "SubscriptionKey_ABCDEFGHJK_production_backup.p8",
            "SubscriptionKey_2X9R4HXF3Q_Production_backup_2026_v2.p8",
            "Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVt.p8", String(repeating: "long-", count: 40) + "name.p8",
        ]
    )
    func longName(name: String) throws {
        let path = installation.directory.path(name)
        try Data("no key".utf8).write(to: URL(filePath: path))
        #expect(chmod(path, 0o600) == 0)
        let inspected = try Executable.run(["keys", "inspect", path])
        #expect(inspected.status == 1)
        #expect(inspected.errors.hasPrefix("error: \(path) is not PEM"), "\(inspected.errors)")
    }
}
