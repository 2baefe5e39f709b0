/// The place of a configuration value: its key path, and the file, variable or flag that it came from.
struct ConfigurationPlace: Sendable {
    enum Origin: Hashable, Sendable {
        /// As the operator would name it; lines count from 1.
        case file(String, line: Int?)
        case environment(String)
        /// With its two dashes.
        case flag(String)
    }

    let origin: Origin
    private let path: Path

    /// An empty key path stands for a file as a whole.
    init(origin: Origin, keyPath: String) {
        self.init(origin: origin, path: .text(keyPath))
    }

    private init(origin: Origin, path: Path) {
        self.origin = origin
        self.path = path
    }

    /// Such as `apps[0].keys[1].file`.
    var keyPath: String { path.text }

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
        moved(to: .member(path, key), line: line)
    }

    func element(_ index: Int, line: Int?) -> ConfigurationPlace {
        moved(to: .element(path, index), line: line)
    }

    private func moved(to path: Path, line: Int?) -> ConfigurationPlace {
        guard case .file(let file, _) = origin else { return ConfigurationPlace(origin: origin, path: path) }
        return ConfigurationPlace(origin: .file(file, line: line), path: path)
    }

    /// A path of keys, written out only for reported places: a large catalog has very many.
    private indirect enum Path: Sendable {
        case text(String)
        case member(Path, String)
        case element(Path, Int)

        var text: String {
            switch self {
            case .text(let text): return text
            case .element(let list, let index): return "\(list.text)[\(index)]"
            case .member(let mapping, let key):
                let path = mapping.text
                return path.isEmpty ? key : path + "." + key
            }
        }
    }
}

extension ConfigurationPlace: Hashable {
    static func == (left: ConfigurationPlace, right: ConfigurationPlace) -> Bool {
        left.origin == right.origin && left.keyPath == right.keyPath
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(keyPath)
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
