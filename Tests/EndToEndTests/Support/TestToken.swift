import ChildProcess
import Foundation
import Glibc

/// A token of SoftHSM that has keys of an installation.
struct TestToken {
    /// The module that the service loads.
    enum Door: CaseIterable {
        /// SoftHSM.
        case softHSM
        /// The tests' own over SoftHSM, which can be told to fail.
        case told
        /// p11-kit's client: the token is in another process (``TokenServer``).
        case server
    }

    static let softHSM = "/usr/lib/softhsm/libsofthsm2.so"
    static let pin = "471147114711"

    /// For all that reaches the token.
    let environment: [String: String]
    let told: String

    private let directory: TemporaryDirectory
    private let modules: TrustedDirectory

    /// Imports keys by their ids, and has the service load a module.
    init(of installation: Installation, keys: [String] = ["TESTKEY001"], through door: Door) throws {
        directory = installation.directory
        let tokens = directory.path("tokens")
        try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: true)
        try directory.write("softhsm2.conf", "directories.tokendir = \(tokens)\nlog.level = ERROR\n")
        modules = try TrustedDirectory()
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "TestToken/token.c")
        told = try modules.buildModule(source.path)
        environment = [
            "SOFTHSM2_CONF": directory.path("softhsm2.conf"),
            "TEST_TOKEN_MODULE": Self.softHSM,
            "TEST_TOKEN_ORDERS": directory.path("orders"),
            "P11_KIT_SERVER_ADDRESS": "unix:path=\(directory.path("socket"))",
        ]
        try directory.write("offers.pin", Self.pin + "\n", mode: 0o600)
        try tool("--init-token", "--free", "--label", "offers", "--pin", Self.pin, "--so-pin", "00000000")
        for (number, key) in keys.enumerated() {
            let file = directory.path("SubscriptionKey_\(key).p8")
            try tool("--import", file, "--token", "offers", "--label", key, "--id", "0\(number + 1)", "--pin", Self.pin)
        }
        let module =
            switch door {
            case .softHSM: Self.softHSM
            case .told: told
            case .server: try Self.client()
            }
        try installation.configure("pkcs11: { modules: [\(module)] }")
    }

    private static func client() throws -> String { try module("pkcs11/p11-kit-client.so") }

    /// A module of Debian's, below the directory of the machine's libraries.
    static func module(_ name: String) throws -> String {
        let found = try Executable.run(
            ["-c", "ls /usr/lib/*/\(name) /usr/lib/*/pkcs11/\(name) /usr/lib/\(name) 2>/dev/null | head -1"],
            of: "/bin/sh"
        )
        return found.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs `softhsm2-util`.
    func tool(_ arguments: String...) throws {
        let outcome = try Executable.run(arguments, of: "/usr/bin/softhsm2-util", environment: environment)
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
    }

    static func uri(_ id: String) -> String { "pkcs11:token=offers;object=\(id)?pin-source=file:offers.pin" }

    /// The catalog's text for a key.
    static func entry(_ id: String) -> String { "{ id: \(id), pkcs11: \"\(uri(id))\" }" }

    /// Tells the module what to do from now on.
    func order(_ word: String) throws {
        try Data(word.utf8).write(to: URL(filePath: directory.path("orders")), options: .atomic)
    }

    /// How often a PIN was tried since the last time that this was asked.
    func takeLogins() -> Int {
        let file = directory.path("orders.logins")
        defer { try? FileManager.default.removeItem(atPath: file) }
        return (try? Data(contentsOf: URL(filePath: file)).count) ?? 0
    }
}

/// `p11-kit server` with a token of the tests.
final class TokenServer {
    private let process: ChildProcess

    /// It leads a group of its own: a process of it works for each connection.
    init(_ token: TestToken, in installation: Installation) throws {
        let socket = installation.directory.path("socket")
        process = try ChildProcess(
            "/usr/bin/setsid",
            ["p11-kit", "server", "-f", "-n", socket, "--provider", token.told, "pkcs11:token=offers"],
            environment: token.environment
        )
        guard waitUntil({ FileManager.default.fileExists(atPath: socket) }) else {
            throw Failure(text: "p11-kit server: \(try process.outcome().errors)")
        }
    }

    func kill() {
        Glibc.kill(-process.identifier, SIGKILL)
        _ = process.wait()
    }

    deinit { kill() }
}
