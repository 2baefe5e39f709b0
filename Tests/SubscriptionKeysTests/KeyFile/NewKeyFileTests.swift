import Foundation
import SubscriptionKeys
import Testing

@Suite("A new key's file")
struct NewKeyFileTests {
    @Test("OpenSSL reads each, finds it in order, and derives the public key that loading it gives; no two are alike")
    func openSSL() throws {
        let bench = try Workbench()
        let keys = try (0..<8).map { number in
            let path = bench.path("new\(number).p8")
            try NewKeyFile.write(to: path)
            #expect(try Tool.run("openssl", ["pkey", "-in", path, "-check", "-noout"]).status == 0)
            let loaded = try SigningKey(contentsOf: path, keyIdentifier: "ledger").publicKeySPKI
            #expect(try Tool.openssl("pkey", "-in", path, "-pubout", "-outform", "DER") == loaded)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.map(\.count) == [27, 64, 64, 56, 25, 0])
            return loaded
        }
        #expect(Set(keys).count == 8)
    }

    @Test("An existing file is never overwritten, nor the target of a link")
    func existing() throws {
        let bench = try Workbench()
        let path = try bench.write(Array("precious".utf8), to: "precious.p8")
        try FileManager.default.createSymbolicLink(atPath: bench.path("link.p8"), withDestinationPath: path)
        for name in ["precious.p8", "link.p8"] {
            let error = #expect(throws: KeyError.self) { try NewKeyFile.write(to: bench.path(name)) }
            #expect(error?.description.contains("cannot be written") == true)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }
}
