/// Reads the three files into typed values, each in an extension of its own.
struct SettingsReader {
    /// Where relative paths begin.
    let directory: ConfigurationDirectory
    /// Where faults and warnings go.
    let faults: FaultCollector
    /// Loads the keys; `nil` to leave their files unread.
    let keyLoader: (any KeyLoading)?

    /// Reads and parses a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - namedAt: Where its path stands; the file itself when the operator named it.
    /// - Returns: Its root; `nil` when there is a fault.
    func root(of file: ConfigurationFile, namedAt: ConfigurationPlace) -> ConfigurationNode? {
        guard let text = file.text(namedAt: namedAt, faults), let document = YAMLDocument(text, of: file, faults)
        else { return nil }
        return ConfigurationNode(document, of: file, faults)
    }

    /// The absolute path of an existing file that a node names.
    ///
    /// - Parameters:
    ///   - node: The node; `nil` when the key is left out.
    ///   - kind: What the file is, for faults.
    /// - Returns: The path; `nil` when it is left out or at fault.
    func existingFile(_ node: ConfigurationNode?, _ kind: String) -> String? {
        guard let node, let path = node.value("the path of \(kind)", FilePathText.parse) else { return nil }
        return existingFile(path, kind, at: node.place)
    }

    /// The absolute path of an existing file.
    ///
    /// - Parameters:
    ///   - path: The path as the configuration has it.
    ///   - kind: What the file is, for faults.
    ///   - place: Where it is named.
    ///   - minimumBytes: The least that the file holds.
    /// - Returns: The path; `nil` when there is no such file.
    func existingFile(
        _ path: String,
        _ kind: String,
        at place: ConfigurationPlace,
        minimumBytes: Int = 0
    ) -> String? {
        // A malformed path has its fault already.
        guard (try? FilePathText.parse(path)) != nil else { return nil }
        do throws(ValueFault) {
            let absolute = try directory.resolveCredential(path)
            let size = try RegularFile.size(of: absolute)
            guard size >= minimumBytes else {
                throw ValueFault("holds \(size) bytes; \(minimumBytes) or more are needed")
            }
            return absolute
        } catch {
            let fix =
                ConfigurationDirectory.isCredentialName(path)
                ? "this should be \(kind), under the name of a LoadCredential= line, which systemd reads when it starts "
                    + "the service: after a new line, restart it"
                : "this should be the path of \(kind), relative to the directory of offer-signer.yaml"
            let shown = Echo.repeats(path: path) ? path : directory.resolve(path)
            faults.fault(place, "\(Echo.path(shown)): \(error.message); \(fix)")
            return nil
        }
    }
}
