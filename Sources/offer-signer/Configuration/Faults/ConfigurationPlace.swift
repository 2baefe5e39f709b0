/// The place of a configuration value: its key path, and the file, variable or flag that it came from.
struct ConfigurationPlace: Hashable, Sendable {
    enum Origin: Hashable, Sendable {
        /// As the operator would name it; lines count from 1.
        case file(String, line: Int?)
        case environment(String)
        /// With its two dashes.
        case flag(String)
    }

    let origin: Origin
    /// Such as `apps[0].keys[1].file`; empty for a file as a whole.
    let keyPath: String

    /// The file; for an override, the variable or the flag.
    var source: String {
        switch origin {
        case .file(let file, _): file
        case .environment(let name), .flag(let name): name
        }
    }

    var line: Int? {
        guard case .file(_, let line) = origin else { return nil }
        return line
    }

    /// The place of a member; its name is as messages may repeat it.
    func member(_ key: String, line: Int?) -> ConfigurationPlace {
        moved(to: keyPath.isEmpty ? key : keyPath + "." + key, line: line)
    }

    func element(_ index: Int, line: Int?) -> ConfigurationPlace {
        moved(to: "\(keyPath)[\(index)]", line: line)
    }

    private func moved(to keyPath: String, line: Int?) -> ConfigurationPlace {
        guard case .file(let file, _) = origin else { return ConfigurationPlace(origin: origin, keyPath: keyPath) }
        return ConfigurationPlace(origin: .file(file, line: line), keyPath: keyPath)
    }
}

extension ConfigurationPlace: CustomStringConvertible {
    /// The place as messages begin: `catalog.yaml:14: apps[0].bundleId`, or the name of the variable or flag.
    var description: String {
        guard case .file(let file, let line) = origin else { return source }
        let position = line.map { "\(Echo.file(file)):\($0)" } ?? Echo.file(file)
        return keyPath.isEmpty ? position : position + ": " + keyPath
    }
}
