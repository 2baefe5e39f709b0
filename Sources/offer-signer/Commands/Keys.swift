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
            abstract: "Prints key id, curve, public key fingerprint, file mode and self-test; never private bytes.",
            usage: "offer-signer keys inspect [<options>] <file> ..."
        )

        @Flag(help: "Print only the public key, as PEM: offer-lab and openssl check signatures with it.")
        var publicKey = false

        @Option(help: ArgumentHelp("A PKCS#11 module, for keys in its tokens.", valueName: "file"))
        var module: String?

        @Option(help: ArgumentHelp("With --module: the public key, PEM, where the token has none.", valueName: "file"))
        var publicKeyFile: String?

        @Option(help: ArgumentHelp("With --module: the module's text for C_Initialize.", valueName: "text"))
        var parameters: String?

        @Argument(help: ArgumentHelp("Key files, SubscriptionKey_<id>.p8; with --module, URIs.", valueName: "file"))
        var files: [String]

        func validate() throws {
            guard module != nil || publicKeyFile == nil && parameters == nil else {
                throw ValidationError("--public-key-file and --parameters go with --module.")
            }
            guard module != nil || !files.contains(where: { $0.hasPrefix("pkcs11:") }) else {
                throw ValidationError("A URI of pkcs11: goes with --module, the file of the token's module.")
            }
        }

        func run() throws {
            var allFine = true
            do {
                try SecureHeap.initialize()
            } catch {
                throw Console.failure("\(error)")
            }
            if let module { return try inspect(in: module) }
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

        /// A `pin-source` is relative to the working directory.
        private func inspect(in module: String) throws {
            let directory = ConfigurationDirectory(of: "")
            let path = directory.resolve(module)
            let trusted: TokenModuleFile
            // One for all keys: a PIN that a token refuses is tried once.
            let modules: TokenModules
            let point: P256.Signing.PublicKey?
            do {
                _ = try RegularFile.size(of: path)
                trusted = try TokenModuleFile(path, parameters: parameters)
            } catch {
                let reason = (error as? KeyError)?.reason ?? (error as? ValueFault)?.message ?? "\(type(of: error))"
                throw Console.failure("\(Echo.path(module)): \(reason)")
            }
            do throws(KeyError) {
                modules = try TokenModules([trusted], sessions: 1, timeout: .seconds(5))
            } catch {
                throw Console.failure("\(error)")
            }
            do throws(ValueFault) {
                point = try publicKeyFile.map { file throws(ValueFault) in
                    try P256PublicKeyFile.read(directory.resolve(file))
                }
            } catch {
                throw Console.failure(error.message)
            }
            var allFine = true
            for file in files {
                do {
                    let uri = try TokenURI(file)
                    if let named = uri.modulePath,
                        (try? TokenModuleFile(directory.resolve(named)))?.path != trusted.path
                    {
                        Console.message("error: module-path of the URI is another module than --module")
                        allFine = false
                        continue
                    }
                    let inspection = try TokenInspection(
                        uri,
                        in: modules,
                        pinFile: uri.pinSource.map(directory.resolve),
                        publicPoint: point.map { Array($0.x963Representation) }
                    )
                    if publicKey {
                        let key = try P256.Signing.PublicKey(derRepresentation: inspection.publicKeySPKI)
                        try Console.result(key.pemRepresentation)
                    } else {
                        try Console.result("\(inspection)")
                    }
                } catch let error as KeyError {
                    Console.message("error: \(error)")
                    allFine = false
                }
            }
            if !allFine { throw ExitCode.failure }
        }
    }
}
