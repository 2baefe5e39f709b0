import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import AppStoreSimulator

@Suite("The simulator's certificates")
struct SignerDirectoryTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "signer-\(UUID().uuidString)")

    @Test("They are made once, for all years that the clock may show, and the key is for its owner alone")
    func kept() throws {
        let files = SignerDirectory(url: directory)
        let first = try files.load()
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try files.load().chain == first.chain)
        #expect(try files.load().publicKey.rawRepresentation == first.publicKey.rawRepresentation)
        for bytes in first.chain {
            let certificate = try Certificate(derEncoded: bytes)
            // 2020-01-02 and 2040-01-01.
            #expect(certificate.notValidBefore < Date(timeIntervalSince1970: 1_577_923_200))
            #expect(certificate.notValidAfter > Date(timeIntervalSince1970: 2_208_988_800))
        }
        let key = directory.appending(path: "leaf-key.pem").path
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.removeItem(atPath: key)
        let fault = #expect(throws: SimulatorFault.self) { try files.load() }
        #expect(fault?.description.contains("lacks leaf-key.pem") == true)
    }

    @Test("A directory that cannot be written is a fault, not a crash")
    func unwritable() {
        let fault = #expect(throws: SimulatorFault.self) {
            try SignerDirectory(url: URL(filePath: "/proc/nothing")).load()
        }
        #expect(fault?.description.contains("/proc/nothing") == true)
    }
}
