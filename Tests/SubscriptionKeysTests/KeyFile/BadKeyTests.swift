import Foundation
import SubscriptionKeys
import Testing

/// Whatever is not a P-256 key as PKCS#8 is refused, with a text that helps.
struct BadKeyTests {
    @Test(arguments: BadKey.all)
    func isRefusedByName(bad: BadKey) throws {
        let workbench = try Workbench()
        let path = try workbench.write(bad.make())
        let error = try #require(throws: KeyError.self) {
            try SigningKey(contentsOf: path, keyIdentifier: "TEST123456")
        }
        #expect(error.code == bad.code)
        #expect(error.path == path)
        #expect(error.description.hasPrefix("\(path) \(error.reason)"))
        #expect(error.reason.contains(bad.says))
        #expect(error.reason.contains("; it has to be an EC P-256 private key as PKCS#8 PEM (the .p8 file of App"))
        let isDamaged = [.notPEM, .truncated, .trailingData, .malformedBase64, .malformedDER].contains(bad.code)
        #expect(!isDamaged || error.reason.hasSuffix(": copy the file again, or its lines from BEGIN to END"))
    }

    @Test("The command in the text repairs the key", arguments: [KeyError.Code.sec1PrivateKey, .encryptedPrivateKey])
    func fix(code: KeyError.Code) throws {
        let workbench = try Workbench()
        for bad in BadKey.all where bad.code == code {
            let path = try workbench.write(bad.make())
            let error = try #require(throws: KeyError.self) {
                try SigningKey(contentsOf: path, keyIdentifier: "TEST123456")
            }
            let pattern = "openssl pkcs8 [^|]* -out KEY.p8$"
            let command = try #require(error.reason.range(of: pattern, options: .regularExpression))
            let fixed = workbench.path("fixed.p8")
            let words = error.reason[command].split(separator: " ").map { $0 == "KEY.p8" ? fixed : String($0) }
            let passphrase = code == .encryptedPrivateKey ? ["-passin", "pass:demo"] : []
            #expect(try Tool.run(words[0], words.dropFirst() + passphrase).status == 0)
            #expect(throws: Never.self) { try SigningKey(contentsOf: fixed, keyIdentifier: "TEST123456") }
        }
    }

    @Test("The command for an encrypted key hands the decrypted one to systemd-creds, never to a file")
    func credential() throws {
        let workbench = try Workbench()
        for bad in BadKey.all where bad.code == .encryptedPrivateKey {
            let path = try workbench.write(bad.make())
            let error = try #require(throws: KeyError.self) {
                try SigningKey(contentsOf: path, keyIdentifier: "TEST123456")
            }
            let pattern = "openssl pkcs8 [^|]*(?= [|] systemd-creds encrypt --name=KEY.p8 - KEY.p8.cred)"
            let command = try #require(error.reason.range(of: pattern, options: .regularExpression))
            let words = error.reason[command].split(separator: " ").map(String.init)
            let result = try Tool.run(words[0], words.dropFirst() + ["-passin", "pass:demo"])
            #expect(throws: Never.self) { try workbench.load(result.output) }
        }
    }

    @Test("openssl takes the point of another key for good")
    func foreignPublicPoint() throws {
        let workbench = try Workbench()
        let bytes = try DER.pem(DER.pkcs8(scalar: TestKey().scalar, point: TestKey().point))
        let path = try workbench.write(bytes)
        try Tool.openssl("pkey", "-in", path, "-pubcheck", "-noout")
        try Tool.openssl("dgst", "-sha256", "-sign", path, "/dev/null")
        #expect(throws: KeyError.self) { try SigningKey(contentsOf: path, keyIdentifier: "TEST123456") }
    }

    @Test("No text of an error holds a part of the file")
    func noLeak() throws {
        let workbench = try Workbench()
        for bad in BadKey.all {
            let bytes = try bad.make()
            let path = try workbench.write(bytes)
            let error = try #require(throws: KeyError.self) {
                try SigningKey(contentsOf: path, keyIdentifier: "TEST123456")
            }
            let body = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            let text = "\(error)"
            for word in body where word.utf8.count >= 16 && !word.hasPrefix("-----") {
                let letters = Array(word)
                #expect(
                    !letters.indices.dropLast(12).contains { text.contains(String(letters[$0..<$0 + 13])) },
                    "\(text)"
                )
            }
            // The number in hexadecimal, where it is in the file as it should be.
            if bytes.count >= 68 {
                let hexadecimal = bytes[36..<68].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                #expect(!text.lowercased().contains(hexadecimal.prefix(16)))
            }
        }
    }
}
