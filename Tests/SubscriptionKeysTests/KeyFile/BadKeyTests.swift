import Foundation
import SubscriptionKeys
import Testing

/// Whatever is not a P-256 key as PKCS#8 is refused, with a text that helps.
struct BadKeyTests {
    private let workbench: Workbench

    init() throws { workbench = try Workbench() }

    @Test("Each is refused by name, in a text that holds no part of the file", arguments: BadKey.all)
    func isRefused(bad: BadKey) throws {
        let bytes = try bad.make()
        let path = try workbench.write(bytes)
        let error = try workbench.refusal(of: path)
        #expect(error.code == bad.code)
        #expect(error.path == path)
        #expect(error.description.hasPrefix("\(path) \(error.reason)"))
        #expect(error.reason.contains(bad.says))
        #expect(error.reason.contains("; it has to be an EC P-256 private key as PKCS#8 PEM (the .p8 file of App"))
        let isDamaged = [.notPEM, .truncated, .trailingData, .malformedBase64, .malformedDER].contains(bad.code)
        let isNamed = (BadKey.accidents + BadKey.foreign).contains { $0.testDescription == bad.testDescription }
        #expect(
            !isDamaged || isNamed || error.reason.hasSuffix(": copy the file again, or its lines from BEGIN to END")
        )

        let text = "\(error)"
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        for word in words where word.utf8.count >= 16 && !word.hasPrefix("-----") {
            let letters = Array(word)
            #expect(!letters.indices.dropLast(12).contains { text.contains(String(letters[$0..<$0 + 13])) }, "\(text)")
        }
        // The number in hexadecimal, where it is in the file as it should be.
        if bytes.count >= 68 {
            let hexadecimal = bytes[36..<68].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(!text.lowercased().contains(hexadecimal.prefix(16)))
        }
    }

    /// Runs the command that matches in the text of a refusal, in another file's name, and gives what it prints.
    private func fix(_ bad: BadKey, _ pattern: String, into file: String) throws -> [UInt8] {
        let error = try workbench.refusal(of: try workbench.write(bad.make()))
        let command = try #require(error.reason.range(of: pattern, options: .regularExpression))
        let words = error.reason[command].split(separator: " ").map { $0 == "KEY.p8" ? file : String($0) }
        let passphrase = bad.code == .encryptedPrivateKey ? ["-passin", "pass:demo"] : []
        let result = try Tool.run(words[0], words.dropFirst() + passphrase)
        #expect(result.status == 0)
        return result.output
    }

    @Test("The command in the text, run by sh, makes a file that is accepted", arguments: BadKey.accidents)
    func isConverted(bad: BadKey) throws {
        let error = try workbench.refusal(of: try workbench.write(bad.make(), to: "it's a key.txt"))
        let command = try #require(error.reason.range(of: "(?<=[.] To convert it: ).*$", options: .regularExpression))
        let fixed = workbench.path("KEY.p8")
        // Without a terminal, a password is read from standard input.
        let script = "cd '\(workbench.directory)' && echo | { \(error.reason[command]); }"
        let result = try Tool.run("setsid", ["--wait", "sh", "-c", script])
        #expect(result.status == 0, "\(script): \(result.errors)")
        #expect(throws: Never.self) { try SigningKey(contentsOf: fixed, keyIdentifier: "TEST123456") }
    }

    @Test("The command for an encrypted key decrypts it")
    func isDecrypted() throws {
        for bad in BadKey.all where bad.code == .encryptedPrivateKey {
            let fixed = workbench.path("fixed.p8")
            _ = try fix(bad, "openssl pkcs8 [^|]* -out KEY.p8$", into: fixed)
            #expect(throws: Never.self) { try SigningKey(contentsOf: fixed, keyIdentifier: "TEST123456") }
        }
    }

    @Test("The command for an encrypted key hands the decrypted one to systemd-creds, never to a file")
    func credential() throws {
        let pattern = "openssl pkcs8 [^|]*(?= [|] systemd-creds encrypt --name=KEY.p8 - KEY.p8.cred)"
        for bad in BadKey.all where bad.code == .encryptedPrivateKey {
            let key = try fix(bad, pattern, into: "")
            #expect(throws: Never.self) { try workbench.load(key) }
        }
    }
}
