import ChildProcess
import Foundation
import Offers
import SubscriptionKeys
import Testing

/// A SoftHSM token with a key, behind a module that does what a test orders.
///
/// One for the process: SoftHSM reads its configuration once.
final class TokenFixture: Sendable {
    static let shared = Result { try TokenFixture() }
    static let softHSM = "/usr/lib/softhsm/libsofthsm2.so"

    /// A label that clears the screen of a terminal.
    private static let rude = "\u{1B}[2J"

    let workbench: Workbench
    let modules: TokenModules
    let key: TestKey
    private let orders: String

    private init() throws {
        workbench = try Workbench()
        let bench = workbench
        try FileManager.default.createDirectory(atPath: bench.path("tokens"), withIntermediateDirectories: true)
        let settings = "directories.tokendir = \(bench.path("tokens"))\nobjectstore.backend = file\nlog.level = ERROR\n"
        orders = try bench.write(Array("ok".utf8), to: "orders")
        for (name, value) in [
            ("SOFTHSM2_CONF", try bench.write(Array(settings.utf8), to: "softhsm2.conf")),
            ("TEST_TOKEN_MODULE", Self.softHSM), ("TEST_TOKEN_ORDERS", orders),
        ] { setenv(name, value, 1) }
        key = try TestKey()
        let file = try key.write(on: bench)
        try Self.run(
            "softhsm2-util",
            ["--init-token", "--free", "--label", "offers", "--pin", "4711", "--so-pin", "0815"]
        )
        for (label, id) in [("EXAMPLE123", "01"), ("TWICE", "02"), ("TWICE", "03"), (Self.rude, "04")] {
            try Self.run(
                "softhsm2-util",
                ["--import", file, "--token", "offers", "--label", label, "--id", id, "--pin", "4711"]
            )
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "TestToken/token.c").path
        let directory = try TrustedDirectory()
        // The module is loaded for as long as the process lives.
        defer { directory.remove() }
        let module = try directory.buildModule(source)
        modules = try TokenModules([TokenModuleFile(module)], sessions: 2, timeout: .milliseconds(250))
        _ = try bench.write(Array("4711\n".utf8), to: "offers.pin")
    }

    private static func run(_ tool: String, _ arguments: [String]) throws {
        let configuration = String(cString: getenv("SOFTHSM2_CONF"))
        let outcome = try Tool.run(tool, arguments, environment: ["SOFTHSM2_CONF": configuration])
        try #require(outcome.status == 0, "\(tool) \(arguments)")
    }

    /// What the token does from the next signature on.
    func order(_ word: String) throws { try Data(word.utf8).write(to: URL(filePath: orders), options: .atomic) }

    func load(_ uri: String = "pkcs11:token=offers;object=EXAMPLE123", pin: String = "offers.pin") throws -> TokenKey {
        try TokenKey(
            try TokenURI(uri),
            modulePath: nil,
            in: modules,
            keyIdentifier: "EXAMPLE123",
            pin: try TokenPIN(contentsOf: workbench.path(pin), access: .ownerOnly),
            publicPoint: nil
        )
    }

    func sign(_ key: TokenKey, _ message: [UInt8]) async throws -> [UInt8] {
        try await key.work { (signer) throws(SigningFailure) in try signer.derSignature(over: message.span) }.value()
    }
}
