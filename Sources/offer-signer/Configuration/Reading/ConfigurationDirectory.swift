import FoundationEssentials

/// The directory of `offer-signer.yaml`: every relative path of the configuration begins there.
struct ConfigurationDirectory {
    private let absolute: String
    private let asGiven: String

    /// The directory of a file.
    ///
    /// - Parameter file: The file's path, relative to the working directory or absolute.
    init(of file: String) {
        let asGiven = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        self.asGiven = asGiven
        let working = FileManager.default.currentDirectoryPath
        absolute = asGiven.hasPrefix("/") ? asGiven : (working.hasSuffix("/") ? working : working + "/") + asGiven
    }

    /// The absolute path of a file that the configuration names.
    ///
    /// - Parameter path: The path as the configuration has it.
    /// - Returns: The absolute path. It is not tidied: `..` after a symbolic link means what the system makes of it.
    func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : absolute + path }

    /// A configuration file that the configuration names.
    ///
    /// - Parameter path: The path as the configuration has it.
    /// - Returns: The file, named in messages like the one that named it.
    func file(_ path: String) -> ConfigurationFile {
        ConfigurationFile(path: resolve(path), name: path.hasPrefix("/") ? path : asGiven + path)
    }
}
