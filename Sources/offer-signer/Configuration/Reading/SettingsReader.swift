/// Reads the three files into typed values, each in an extension of its own.
struct SettingsReader {
    let directory: ConfigurationDirectory
    let faults: FaultCollector
    /// `nil` to leave the keys' files unread.
    let keyRing: KeyRing?
    /// `nil` to leave the ledger's files unread.
    var ledgerCheck: LedgerFileCheck?
    /// Whether keys, secrets and certificates have to be there.
    var readsNamedFiles = true
    /// Whether an app's keys are read: a catalog that is only tried needs none.
    var needsKeys = true
    /// ``ListenAddresses/exposed``; `nil` also where it is not known.
    var exposed: String?
    var isGroupReadable = false
    var hasNotifications = false

    /// Parses a file; `namedAt` is the place that names it, or the file itself when the operator named it.
    func root(of file: ConfigurationFile, namedAt: ConfigurationPlace) -> ConfigurationNode? {
        guard let text = file.text(namedAt: namedAt, faults), let document = YAMLDocument(text, of: file, faults)
        else { return nil }
        return ConfigurationNode(document, of: file, faults)
    }

    func existingFile(_ node: ConfigurationNode?, _ kind: String) -> String? {
        guard let node, let path = node.value(.path(kind)) else { return nil }
        return existingFile(path, kind, at: node.place)
    }

    /// A fault has `name` where the path may be a secret itself.
    func existingFile(
        _ path: String,
        _ kind: String,
        at place: ConfigurationPlace,
        relativeTo base: String = "offer-signer.yaml",
        minimumBytes: Int = 0,
        called name: String? = nil
    ) -> String? {
        // A malformed path has its fault already.
        guard (try? ValueKind<String>.file.parse(path)) != nil else { return nil }
        guard readsNamedFiles else { return path }
        do throws(ValueFault) {
            let absolute = try directory.resolveCredential(path)
            let size = try RegularFile.size(of: absolute)
            guard size >= minimumBytes else {
                throw ValueFault("holds \(size) bytes; \(minimumBytes) or more are needed")
            }
            return absolute
        } catch {
            let isCredential = ConfigurationDirectory.isCredentialName(path)
            let fix =
                isCredential
                ? "this should be \(kind), under the name of a LoadCredential= line, which systemd reads when it starts "
                    + "the service: after a new line, restart it"
                : "this should be the path of \(kind), relative to the directory of \(base)"
            let shown = isCredential || Echo.repeats(path: path) ? path : directory.resolve(path)
            faults.fault(place, "\(name ?? Echo.path(shown)): \(error.message); \(fix)")
            return nil
        }
    }
}
