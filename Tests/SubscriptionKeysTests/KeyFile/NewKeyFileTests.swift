import Foundation
import SubscriptionKeys
import Testing

@Suite("A new key's file")
struct NewKeyFileTests {
    @Test("OpenSSL reads it, finds it in order, and derives the public key that loading it gives")
    func openSSL() throws {
        let bench = try Workbench()
        let path = bench.path("new.p8")
        try NewKeyFile.write(to: path)
        #expect(try Tool.run("openssl", ["pkey", "-in", path, "-check", "-noout"]).status == 0)
        let loaded = try SigningKey(contentsOf: path, keyIdentifier: "ledger")
        #expect(try Tool.openssl("pkey", "-in", path, "-pubout", "-outform", "DER") == loaded.publicKeySPKI)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("It has the lines of any PEM file")
    func lines() throws {
        let bench = try Workbench()
        let path = bench.path("new.p8")
        try NewKeyFile.write(to: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).map(\.count) == [27, 64, 64, 56, 25, 0])
    }

    @Test("Each is another key")
    func different() throws {
        let bench = try Workbench()
        let keys = try (0..<8).map { index in
            let path = bench.path("new\(index).p8")
            try NewKeyFile.write(to: path)
            return try SigningKey(contentsOf: path, keyIdentifier: "ledger").publicKeySPKI
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
