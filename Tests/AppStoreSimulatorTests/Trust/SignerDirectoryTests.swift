import Crypto
import Foundation
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import AppStoreSimulator

@Suite("The simulator's certificates")
struct SignerDirectoryTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "signer-\(UUID().uuidString)")

    @Test("Its signatures have a chain of three with Apple's marks, which swift-certificates trusts under its root")
    func trusted() async throws {
        let signer = try SignerDirectory(url: directory).load()
        defer { try? FileManager.default.removeItem(at: directory) }
        let pem = try String(contentsOf: directory.appending(path: "root.pem"), encoding: .utf8)
        let root = try Certificate(pemEncoded: pem)
        let jws = signer.jws(Array(#"{"a":1}"#.utf8))
        for year in [2020, 2026, 2040] {
            let date = Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86400 + 86400)
            let payload = try await AppleTrust.payload(of: jws, root: root, at: date)
            #expect(payload?["a"] as? Int == 1)
        }
        let other = try CertificateAuthority()
        #expect(try await AppleTrust.payload(of: jws, root: other.root, at: Date()) == nil)
        let changed = jws.replacing(".", with: ".e30", maxReplacements: 1)
        #expect((try? await AppleTrust.payload(of: changed, root: root, at: Date())) == nil)
    }

    @Test("They are made once, and the key is for its owner alone")
    func kept() throws {
        let files = SignerDirectory(url: directory)
        let first = try files.load()
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try files.load().chain == first.chain)
        #expect(try files.load().publicKey.rawRepresentation == first.publicKey.rawRepresentation)
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

/// Whether a JWS is one of the App Store's, by Apple's rules, judged by swift-certificates.
private enum AppleTrust {
    /// The payload, when everything is right.
    static func payload(of jws: String, root: Certificate, at date: Date) async throws -> [String: Any]? {
        let header = try JSON.part(0, of: jws)
        guard header["alg"] as? String == "ES256", let x5c = header["x5c"] as? [String], x5c.count == 3 else {
            return nil
        }
        let chain = try x5c.map { try Certificate(derEncoded: Array(Data(base64Encoded: $0) ?? Data())) }
        guard chain[0].extensions[oid: [1, 2, 840, 113635, 100, 6, 11, 1]] != nil,
            chain[1].extensions[oid: [1, 2, 840, 113635, 100, 6, 2, 1]] != nil
        else { return nil }
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]]))
        guard case .validCertificate = result, let key = P256.Signing.PublicKey(chain[0].publicKey) else { return nil }
        let parts = jws.split(separator: ".").map(String.init)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decode(parts[2]))
        guard key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)) else { return nil }
        return try JSON.part(1, of: jws)
    }

    private static func decode(_ text: String) -> Data {
        var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text) ?? Data()
    }
}
