import Foundation
import Testing

@testable import offer_signer

@Suite("What a terminal, or a reader of YAML, is given")
struct TerminalTests {
    @Test(
        "No control character reaches a terminal, whoever named something so; lines, tabs and all other text stay",
        arguments: [
            ("app\u{1B}[31m", #"app\u001b[31m"#), ("\u{9B}2J\r", #"\u009b2J\u000d"#), ("\u{7F}\u{0}", #"\u007f\u0000"#),
            ("one\ntwo\tthree é👩‍👧\u{2063}", "one\ntwo\tthree é👩‍👧\u{2063}"),
            (#"{"name":"\u001b"}"#, #"{"name":"\u001b"}"#),
        ]
    )
    func printable(text: String, shown: String) { #expect(Console.printable(text) == Data(shown.utf8)) }

    @Test(
        "An id of App Store Connect is a YAML scalar of one line that is read as that id",
        arguments: [
            ("com.example.app", "com.example.app"), ("a: b #'c\"", #""a: b #'c\"""#), ("true", #""true""#),
            ("1234567", #""1234567""#), ("- a", #""- a""#),
            ("break\u{2028}\u{85}\u{9B}\u{7F}", #""break\u2028\u0085\u009b\u007f""#),
            ("👩\u{E0001}\u{FEFF}", #""👩\U000e0001\ufeff""#), ("line\nbreak", #""line\nbreak""#),
        ]
    )
    func scalar(id: String, text: String) throws {
        #expect(CatalogText.scalar(id) == text)
        let faults = FaultCollector()
        let file = ConfigurationFile(path: "/none", name: "catalog.yaml")
        let document = try #require(YAMLDocument("id: \(text)\n", of: file, faults))
        let node = ConfigurationNode(document, of: file, faults)
        let read = node.mapping { $0.member("id").flatMap { $0.text(of: ValueKind<String>.identifier) } }
        #expect(read == id && faults.isEmpty)
    }
}
