import FoundationEssentials

/// The directory of `offer-signer.yaml`: every relative path of the configuration begins there.
struct ConfigurationDirectory {
    static let credentialPrefix = "credential:"

    private let absolute: String
    private let asGiven: String
    /// `$CREDENTIALS_DIRECTORY`, where systemd puts the files of `LoadCredential=` (systemd.exec(5)), ending in a
    /// slash.
    private let credentials: String?
    /// `$STATE_DIRECTORY`, which systemd makes for `StateDirectory=`, ending in a slash; the first of several.
    private let state: String?

    var hasState: Bool { state != nil }

    init(of file: String, environment: [String: String] = [:]) {
        credentials = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 + "/" : nil }
        state = environment["STATE_DIRECTORY"].flatMap { value in
            value.split(separator: ":").first.map(String.init).flatMap { $0.hasPrefix("/") ? $0 + "/" : nil }
        }
        let asGiven = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        self.asGiven = asGiven
        let working = FileManager.default.currentDirectoryPath
        absolute = asGiven.hasPrefix("/") ? asGiven : (working.hasSuffix("/") ? working : working + "/") + asGiven
    }

    /// The absolute path.
    ///
    /// It is not tidied: `..` after a symbolic link means what the system makes of it.
    func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : absolute + path }

    /// The path of a file that the service makes: in `$STATE_DIRECTORY`, where systemd or the image gives one
    /// (systemd.exec(5)), else in this directory.
    func stateFile(_ name: String) -> String { (state ?? absolute) + name }

    /// The absolute path of a file that the configuration names by path or, as `credential:NAME`, as a systemd credential.
    func resolveCredential(_ path: String) throws(ValueFault) -> String {
        guard Self.isCredentialName(path) else { return resolve(path) }
        let name = String(path.dropFirst(Self.credentialPrefix.count))
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw ValueFault("names no credential; write credential:NAME with the name of a LoadCredential= line")
        }
        guard let credentials else {
            throw ValueFault(
                "is a systemd credential, but $CREDENTIALS_DIRECTORY is not set; start the service from a unit with "
                    + "LoadCredential=\(Echo.repeats(path: name) ? name : "NAME"):FILE; by hand, set it to the directory of "
                    + "the files"
            )
        }
        return credentials + name
    }

    static func isCredentialName(_ path: String) -> Bool { path.hasPrefix(credentialPrefix) }

    /// Whether a file is a systemd credential, which systemd keeps from everybody but root and the service.
    ///
    /// systemd 254 and later give it to the service by an access control list, which shows as the group's permission.
    func isCredential(_ path: String) -> Bool {
        guard let credentials, path.hasPrefix(credentials) else { return false }
        return !path.dropFirst(credentials.count).contains("/")
    }

    func file(_ path: String) -> ConfigurationFile {
        ConfigurationFile(path: resolve(path), name: path.hasPrefix("/") ? path : asGiven + path)
    }
}
