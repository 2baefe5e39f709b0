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

    @Test("The name of an App Store Connect API key is allowed, and both commands warn of it")
    func authKey() throws {
        let path = installation.directory.path("AuthKey_TESTKEY001.p8")
        try FileManager.default.moveItem(atPath: installation.key, toPath: path)
        try installation.writeCatalog(keys: "{ id: TESTKEY001, file: AuthKey_TESTKEY001.p8 }")
        let (checked, inspected) = (try check(), try Executable.run(["keys", "inspect", path]))
        #expect(checked.status == 0 && inspected.status == 0)
        #expect(checked.errors.contains("\"AuthKey_TESTKEY001.p8\" has the name of an App Store Connect API key"))
        #expect(inspected.text.contains("has the name of an App Store Connect API key"))
        #expect(inspected.text.contains("name it SubscriptionKey_<id>.p8"))
    }

    @Test("A key id that is not that of the file's name is pointed out")
    func otherId() throws {
        try installation.writeCatalog(keys: "{ id: TESTKEY002, file: SubscriptionKey_TESTKEY001.p8 }")
        let checked = try check()
        #expect(checked.status == 0)
        #expect(checked.errors.contains("is named for the key \"TESTKEY001\", but the id is \"TESTKEY002\""))
        #expect(checked.errors.contains("correct the id, or name the file of that key"))
        #expect(try Executable.run(["keys", "inspect", installation.key]).text.contains("key id:      TESTKEY001"))
    }

    @Test("One key under two ids is pointed out, as where the old file was copied for the next key")
    func sameKey() throws {
        try installation.makeKey("TESTKEY002")
        let entries = [Installation.entry("TESTKEY001"), Installation.entry("TESTKEY002")].joined(separator: ", ")
        try installation.writeCatalog(keys: entries)
        #expect(try !check().errors.contains("the same key"))
        let copy = installation.directory.path("SubscriptionKey_TESTKEY002.p8")
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: installation.key, toPath: copy)
        let checked = try check()
        #expect(checked.status == 0)
        #expect(checked.errors.contains("keys[1].file: holds the same key as "), "\(checked.errors)")
        #expect(checked.errors.contains("keys[0].file on line 3, under another id"), "\(checked.errors)")
    }

    @Test("One id of two keys is pointed out where two apps have it; one key of two apps is in order")
    func otherKeyOfTwoApps() throws {
        let catalog = try String(contentsOfFile: installation.directory.path("catalog.yaml"), encoding: .utf8)
        let other = catalog.replacing("apps:\n", with: "").replacing(Installation.bundleId, with: "com.example.other")
        try installation.directory.write("catalog.yaml", "\(catalog)\n\(other)")
        #expect(try !check().errors.contains("another key"))
        try installation.makeKey("TESTKEY002")
        let mixedUp = other.replacing("SubscriptionKey_TESTKEY001", with: "SubscriptionKey_TESTKEY002")
        try installation.directory.write("catalog.yaml", "\(catalog)\n\(mixedUp)")
        let errors = try check().errors
        #expect(errors.contains("apps[1].keys[0].file: holds another key than apps[0].keys[0].file"), "\(errors)")
    }
}
