/// Where a configuration value stands: its key path, and the file, variable or flag that it came from.
struct ConfigurationPlace: Hashable, Sendable {
    /// What a value came from.
    enum Origin: Hashable, Sendable {
        /// A file, as the operator would name it, and the line there, from 1.
        case file(String, line: Int?)
        /// An environment variable.
        case environment(String)
        /// A command line flag, with its two dashes.
        case flag(String)
    }

    /// What the value came from.
    let origin: Origin
    /// The path of keys to the value, such as `apps[0].keys[1].file`; empty for a file as a whole.
    let keyPath: String

    /// The file; for an override, the variable or the flag.
    var source: String {
        switch origin {
        case .file(let file, _): file
        case .environment(let name), .flag(let name): name
        }
    }

    /// The line in the file, from 1; `nil` where no line is meant.
    var line: Int? {
        guard case .file(_, let line) = origin else { return nil }
        return line
    }

    /// The place of a member of the mapping at this place.
    ///
    /// - Parameters:
    ///   - key: The member's key.
    ///   - line: The member's line.
    /// - Returns: The member's place.
    func member(_ key: String, line: Int?) -> ConfigurationPlace {
        let name = Echo.key(key)
        return moved(to: keyPath.isEmpty ? name : keyPath + "." + name, line: line)
    }

    /// The place of an element of the list at this place.
    ///
    /// - Parameters:
    ///   - index: The element's position, from 0.
    ///   - line: The element's line.
    /// - Returns: The element's place.
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
        let position = line.map { "\(file):\($0)" } ?? file
        return keyPath.isEmpty ? position : position + ": " + keyPath
    }
}
