import ArgumentParser
import Crypto
import Foundation

struct Clients: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "Makes tokens for clients.",
        subcommands: [Token.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    struct Token: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Makes a client token, and prints it once, with its line for clients.yaml."
        )

        func run() throws {
            // 256 random bits from the system's cryptographically secure generator, in base64url (RFC 4648 §5). The prefix
            // lets scanners for secrets find a token, and keeps shells from taking one for an option.
            let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
            let text = bytes.base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let token = "os_" + text
            try Console.result("token: \(token)")
            try Console.result("tokenSHA256: \"\(TokenDigest.text(of: token))\"")
        }
    }
}
