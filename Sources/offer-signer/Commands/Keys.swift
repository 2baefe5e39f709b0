import ArgumentParser
import Crypto
import SubscriptionKeys

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Inspects subscription keys.",
        subcommands: [Inspect.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Prints key id, curve, public key fingerprint, file mode and self-test; never private bytes."
        )

        @Flag(help: "Print only the public key, as PEM: offer-lab and openssl check signatures with it.")
        var publicKey = false

        @Argument(help: ArgumentHelp("Key files, SubscriptionKey_<id>.p8.", valueName: "file"))
        var files: [String]

        func run() throws {
            var allFine = true
            do {
                try SecureHeap.initialize()
            } catch {
                throw Console.failure("\(error)")
            }
            for file in files {
                let inspection: KeyInspection
                do throws(KeyError) {
                    inspection = try KeyInspection(of: file)
                } catch {
                    // The content may have been given in place of the path: no such file is there then.
                    let isFile =
                        error.code != .missing && error.code != .unreadable && !file.contains(where: \.isNewline)
                    Console.message(
                        isFile || Echo.repeats(path: file)
                            ? "error: \(error)" : "error: \(Echo.path(file)) is not the path of a key file"
                    )
                    allFine = false
                    continue
                }
                if publicKey {
                    let key = try P256.Signing.PublicKey(derRepresentation: inspection.publicKeySPKI)
                    try Console.result(key.pemRepresentation)
                    continue
                }
                try Console.result("\(inspection)")
                if let refusal = inspection.refusal {
                    Console.message("error: \(refusal)")
                    allFine = false
                }
            }
            if !allFine { throw ExitCode.failure }
        }
    }
}
