import Foundation
import SubscriptionKeys
import Testing

/// A directory of its own for a test, which goes with this object.
final class Workbench: Sendable {
    let directory: String

    /// Makes the directory, and sets the secure heap up unless asked not to.
    init(secureHeap: Bool = true) throws {
        if secureHeap { try SecureHeap.initialize() }
        let url = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        directory = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Writes a file and returns its path.
    func write(_ bytes: [UInt8], to name: String = "SubscriptionKey_TEST123456.p8", mode: Int = 0o600) throws -> String
    {
        let path = path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Loads a key file of these bytes.
    func load(_ bytes: [UInt8]) throws -> SigningKey {
        try SigningKey(contentsOf: write(bytes), keyIdentifier: "TEST123456")
    }

    /// Why a key file is refused.
    func refusal(of path: String, access: FileAccess = .ownerOnly) throws -> KeyError {
        try #require(throws: KeyError.self) {
            try SigningKey(contentsOf: path, keyIdentifier: "TEST123456", access: access)
        }
    }

    /// What `openssl` says of a signature, with the public key that `openssl` derives from the private one.
    func opensslVerifies(_ signature: [UInt8], over message: [UInt8], by key: TestKey) throws -> Bool {
        let name = UUID().uuidString
        let arguments = try [
            "dgst", "-sha256",
            "-verify", write(Tool.openssl("pkey", "-pubout", "-in", key.write(on: self)), to: "\(name).pub"),
            "-signature", write(signature, to: "\(name).sig"),
            write(message, to: "\(name).msg"),
        ]
        return try Tool.run("openssl", arguments).status == 0
    }
}
