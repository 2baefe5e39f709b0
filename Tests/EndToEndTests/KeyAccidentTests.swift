import ChildProcess
import Foundation
import Testing

/// The key file of an installation, as its owner might have it after some copying and pasting.
@Suite("Keys as users have them: check and keys inspect say what happened, and how to fix it")
struct KeyAccidentTests {
    struct Accident: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the commands say.
        let says: String
        /// Whether the key is taken all the same.
        let isTaken: Bool
        /// What happens to the file's text.
        let change: @Sendable (String) -> Data

        init(_ name: String, says: String, isTaken: Bool = false, change: @escaping @Sendable (String) -> Data) {
            testDescription = name
            self.says = says
            self.isTaken = isTaken
            self.change = change
        }
    }

    private static let accidents = [
        Accident(#"literal \n"#, says: #"has its line ends written as "\n""#) {
            Data($0.replacing("\n", with: #"\n"#).utf8)
        },
        Accident("line ends escaped twice", says: #"has its line ends written as "\n""#) {
            Data($0.replacing("\n", with: #"\\n"#).utf8)
        },
        Accident("a line of an environment file", says: "is an environment file (NAME=VALUE) with a key in it") {
            Data((#"KEY=""# + $0.replacing("\n", with: #"\n"#) + "\"\n").utf8)
        },
        Accident("JSON around it", says: "is JSON with a key in it") {
            Data((#"{"private_key":""# + $0.replacing("\n", with: #"\n"#) + #"","id":1}"#).utf8)
        },
        Accident("rich text around it", says: "is rich text (RTF) with a key in it") {
            Data((#"{\rtf1\ansi\f0\fs24 "# + $0.replacing("\n", with: "\\\n") + "}").utf8)
        },
        Accident("one line", says: "it is all in one line", isTaken: true) { Data($0.replacing("\n", with: "").utf8) },
        Accident("Base64 of the PEM", says: "is the Base64 of a PEM file") {
            Data(Data($0.utf8).base64EncodedString().utf8)
        },
        Accident("missing armour", says: "without its lines BEGIN and END") {
            Data($0.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n").utf8)
        },
        Accident("quotes around it", says: "begins with a quotation mark") { Data("\"\($0)\"\n".utf8) },
        Accident("a UTF-8 BOM", says: "begins with a byte order mark") { Data("\u{FEFF}\($0)".utf8) },
        Accident("CRLF", says: "its lines end as on Windows (CR LF)", isTaken: true) {
            Data($0.replacing("\n", with: "\r\n").utf8)
        },
        Accident("UTF-16", says: "is text in UTF-16") { Data([0xFF, 0xFE]) + Data($0.utf8.flatMap { [$0, 0] }) },
    ]

    private let installation: Installation

    init() throws { installation = try Installation() }

    private func check() throws -> ChildProcess.Outcome {
        try Executable.run(["check", "--config", installation.configuration])
    }

    @Test("Each accident is named by both commands, and the command they give fixes it", arguments: accidents)
    func accident(_ accident: Accident) throws {
        let secrets = try Secrets(of: installation, and: [])
        let text = try String(contentsOfFile: installation.key, encoding: .utf8)
        let key = installation.key
        try accident.change(text).write(to: URL(filePath: key))
        let (checked, inspected) = (try check(), try Executable.run(["keys", "inspect", key]))
        #expect(checked.status == (accident.isTaken ? 0 : 78))
        #expect(inspected.status == (accident.isTaken ? 0 : 1))
        for outcome in [checked, inspected] {
            let message = accident.isTaken ? outcome.text : outcome.errors
            #expect(message.contains(accident.says), "\(message)")
            #expect(secrets.pieces(in: outcome.text + outcome.errors).isEmpty)
        }
        let line = try #require(
            (inspected.text + inspected.errors).split(separator: "\n").last { $0.contains("fix it: ") }
        )
        let command = String(try #require(line.split(separator: "fix it: ").last))
        let fixed = installation.directory.path("fixed.p8")
        let shell = try Executable.run(["-c", command.replacing("KEY.p8", with: fixed)], of: "/bin/sh")
        #expect(shell.status == 0, "\(command): \(shell.errors)")
        if FileManager.default.fileExists(atPath: fixed) {
            try FileManager.default.removeItem(atPath: key)
            try FileManager.default.moveItem(atPath: fixed, toPath: key)
        }
        let after = try check()
        #expect(after.status == 0, "\(after.errors)")
        #expect(!after.text.contains("note"))
        let result = try String(contentsOfFile: key, encoding: .utf8)
        #expect(result.filter { !$0.isNewline } == text.filter { !$0.isNewline })
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
