import Crypto
import Foundation
import SwiftASN1
import X509

/// The files in which the simulator keeps its certificates and its leaf key, made at the first start.
struct SignerDirectory {
    private static let keyFile = "leaf-key.pem"
    private static let certificateFiles = ["leaf.der", "intermediate.der", "root.der"]

    let url: URL

    /// The root, PEM: what a service lists in `appStore.additionalRoots`.
    var rootPEM: URL { url.appending(path: "root.pem") }

    /// Reads the signer, or makes one if there is none.
    func load() throws(SimulatorFault) -> AppStoreSigner {
        let names = Self.certificateFiles + [Self.keyFile]
        let missing = names.filter { !FileManager.default.fileExists(atPath: url.appending(path: $0).path) }
        if missing.count == names.count { return try make() }
        guard missing.isEmpty else {
            throw SimulatorFault(
                "\(url.path) lacks \(missing.joined(separator: " and ")); "
                    + "put it back, or remove \(names.joined(separator: ", ")) to have new ones made"
            )
        }
        return try read()
    }

    func read() throws(SimulatorFault) -> AppStoreSigner {
        var chain: [[UInt8]] = []
        for name in Self.certificateFiles { chain.append(try read(name)) }
        let pem = String(decoding: try read(Self.keyFile), as: UTF8.self)
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem),
            let leaf = try? Certificate(derEncoded: chain[0]),
            leaf.publicKey == Certificate.PublicKey(key.publicKey)
        else {
            throw SimulatorFault("\(url.path): \(Self.keyFile) is not the key of leaf.der; remove both, and the others")
        }
        return AppStoreSigner(key: key, chain: chain)
    }

    private func make() throws(SimulatorFault) -> AppStoreSigner {
        do {
            let authority = try CertificateAuthority()
            let signer = try AppStoreSigner(authority)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for (name, bytes) in zip(Self.certificateFiles, signer.chain) { try write(name, Data(bytes), mode: 0o644) }
            try write("root.pem", Data((try authority.root.serializeAsPEM().pemString + "\n").utf8), mode: 0o644)
            try write(Self.keyFile, Data(authority.leafKey.pemRepresentation.utf8), mode: 0o600)
            return signer
        } catch let fault as SimulatorFault {
            throw fault
        } catch {
            throw SimulatorFault("\(url.path): the simulator's certificates cannot be made there: \(error)")
        }
    }

    private func read(_ name: String) throws(SimulatorFault) -> [UInt8] {
        let path = url.appending(path: name).path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SimulatorFault("\(path) cannot be read")
        }
        return Array(data)
    }

    private func write(_ name: String, _ data: Data, mode: Int) throws {
        let path = url.appending(path: name).path
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
        guard FileManager.default.createFile(atPath: path, contents: data, attributes: attributes) else {
            throw SimulatorFault("\(path) cannot be written; name another directory with --directory")
        }
    }
}
