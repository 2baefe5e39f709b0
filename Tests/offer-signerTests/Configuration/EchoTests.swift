import Foundation
import Testing

@testable import offer_signer

/// What a message repeats of a value, and what it keeps to itself.
@Suite struct EchoTests {
    private static let token = "os_Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVtQz"

    @Test(arguments: [
        token, "os_", "os_short", "MIGHAgEAMBMG", "MIGRATION", String(repeating: "0f", count: 16),
        String(repeating: "A1", count: 32), "-----BEGIN PRIVATE KEY-----",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w",
    ])
    func secretsAreNotRepeatedWhereverTheyStand(_ text: String) {
        for echo in [
            Echo.name(text), Echo.known(text), Echo.path(text), Echo.file("./keys/" + text),
            Echo.path("/etc/\(text)/a.p8"),
        ] { #expect(!echo.contains(text)) }
        #expect(Echo.key(text) == "?")
        #expect(!Echo.hint(for: String(text.dropLast()), among: [text, "name"]).contains(text))
        #expect(Echo.hint(for: "nam", among: [text, "name"]).contains("name"))
    }

    @Test("Of a value that is longer than a name no part is repeated", arguments: [17, 43, 64, 1000])
    func longValues(length: Int) {
        for alphabet in ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "a", "0", "A/"] {
            let text = String((0..<length).map { Array(alphabet)[$0 * 7 % alphabet.count] })
            for echo in [Echo.name(text), Echo.path(text), Echo.path("nowhere/" + text)] {
                #expect(echo == "the value (not repeated here, it may be a secret)")
            }
            #expect(Echo.path("/etc/" + text) == "\"/etc/…\"")
            if alphabet != "a" { #expect(Echo.key(text) == "?") }
        }
    }

    @Test("A short name is repeated, readable and on one line")
    func names() {
        #expect(Echo.name("com.example.none") == "\"com.example.none\"")
        #expect(Echo.name("a\nb\u{2063}") == "\"a<U+000A>b<U+2063>\"")
        #expect(Echo.name("") == "\"\"")
        #expect(Echo.key("reciepts") == "reciepts")
        #expect(Echo.key("not a key") == "?")
        #expect(Echo.key("signedTransactionMaximumAgeSecond") == "signedTransactio…")
        #expect(Echo.key("<<") == "<<")
        #expect(Echo.key("drain_delay_seconds", among: ["port", "drainDelaySeconds"]) == "drain_delay_seconds")
        #expect(Echo.key("drain_delay_seconds", among: ["port"]) == "?")
    }

    @Test("An id of the catalog is shown whole")
    func known() {
        let id = "com.example.reader.pro.monthly.with.a.long.name"
        #expect(Echo.known(id) == "\"\(id)\"")
        #expect(Echo.hint(for: "com.example.reader", among: [id]) == "known here: \(id)")
    }

    @Test("A path is shown as far as there is something, and with the name of a file")
    func paths() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let long = directory + "/a-name-without-an-extension-of-many-characters"
        #expect(Echo.path(long) == "\"\(directory)/…\"")
        try #require(FileManager.default.createFile(atPath: long, contents: nil))
        #expect(Echo.path(long) == "\"\(long)\"")
        for name in ["SubscriptionKey_EXAMPLE123.p8", "none", "nowhere/offer-signer-production.yaml"] {
            #expect(Echo.file(directory + "/" + name) == directory + "/" + name)
            #expect(Echo.file(name) == name)
        }
    }

    @Test("What the parser says of a command line is shown if it repeats flags, short words and paths")
    func commandLines() {
        func shown(_ argument: String, of given: String? = nil) -> String {
            Echo.message("Unexpected argument '\(argument)'", about: [given ?? argument])
        }
        for argument in ["chek", "--server-limits-maximum-conections", "/etc/passwd", "offer-signer.yaml"] {
            #expect(shown(argument) == "Unexpected argument '\(argument)'")
        }
        for argument in [Self.token, "--\(Self.token)", "Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVt", "MIGHAgEA"] {
            for given in [argument, "--port=\(argument)"] {
                let withheld = "Unexpected argument '(not repeated here, it may be a secret)'"
                #expect(shown(argument, of: given) == withheld)
            }
        }
    }
}
