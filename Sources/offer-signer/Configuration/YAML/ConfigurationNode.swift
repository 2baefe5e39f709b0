import Yams

/// A value of a configuration file with its place: the one way in which the files are read.
///
/// Every reading method records a fault and returns `nil` when the value is not what was asked for. It is a reference:
/// a large catalog has very many, and Yams' nodes take long to copy.
final class ConfigurationNode {
    let place: ConfigurationPlace
    let faults: FaultCollector

    private let node: Yams.Node
    private let document: YAMLDocument

    convenience init(_ document: YAMLDocument, of file: ConfigurationFile, _ faults: FaultCollector) {
        self.init(document.root, file.place(line: document.root.mark?.line), document, faults)
    }

    private init(
        _ node: Yams.Node,
        _ place: ConfigurationPlace,
        _ document: YAMLDocument,
        _ faults: FaultCollector
    ) {
        self.node = node
        self.place = place
        self.document = document
        self.faults = faults
    }

    func fault(_ message: String) {
        faults.fault(place, message)
    }

    /// Unknown and repeated keys are faults, those of earlier versions with their fix.
    func mapping(keys: [String], replaced: [String: String] = [:]) -> ConfigurationMapping? {
        members(named: keys, replaced: replaced, "the keys \(keys.joined(separator: ", "))").map { members in
            ConfigurationMapping(place: place, faults: faults, members: members)
        }
    }

    /// The members of a mapping whose keys the operator chooses.
    func entries(of things: String) -> [ConfigurationMapping.Member]? { members(named: nil, things) }

    /// Those of the names, or all.
    private func members(
        named keys: [String]?,
        replaced: [String: String] = [:],
        _ needed: @autoclosure () -> String
    ) -> [ConfigurationMapping.Member]? {
        guard isSupported else { return nil }
        guard case .mapping(let mapping) = node else {
            fault("is \(kind); a mapping is needed, with \(needed())")
            return nil
        }
        var members: [ConfigurationMapping.Member] = []
        members.reserveCapacity(min(mapping.count, keys?.count ?? .max))
        for (key, value) in mapping {
            let line = key.mark?.line
            guard case .scalar(let scalar) = key, !hasAnchor(key) else {
                let found = hasAnchor(key) ? "an anchor or an alias" : Self.kind(of: key)
                faults.fault(place.member("?", line: line), "a key is \(found); a key is a plain word")
                continue
            }
            let name = scalar.string
            let shown = keys?.contains(name) == true ? name : Echo.key(name)
            let member = ConfigurationNode(value, place.member(shown, line: line), document, faults)
            if members.value(of: name) != nil {
                member.fault("is given twice; keep one")
            } else if let keys, !keys.contains(name) {
                let fix = replaced[name].map { "is no longer known; " + $0 }
                member.fault(fix ?? "is not known; \(Echo.hint(for: name, among: keys))")
            } else {
                members.append(ConfigurationMapping.Member(key: name, value: member))
            }
        }
        return members
    }

    func list(of things: @autoclosure () -> String) -> [ConfigurationNode]? {
        guard isSupported else { return nil }
        guard case .sequence(let sequence) = node else {
            fault("is \(kind); a list of \(things()) is needed")
            return nil
        }
        return sequence.enumerated().map { index, element in
            ConfigurationNode(element, place.element(index, line: element.mark?.line), document, faults)
        }
    }

    func filledList(of things: @autoclosure () -> String, fix: String) -> [ConfigurationNode]? {
        guard let elements = list(of: things()) else { return nil }
        guard !elements.isEmpty else {
            fault("is empty; \(fix)")
            return nil
        }
        return elements
    }

    /// A scalar's text as it is written, whatever type YAML would see in it.
    func scalar(_ needed: @autoclosure () -> String) -> (text: String, isQuoted: Bool)? {
        guard isSupported else { return nil }
        guard case .scalar(let scalar) = node else {
            fault("is \(kind); \(needed()) is needed")
            return nil
        }
        guard !isNull else {
            fault("has no value; \(needed()) is needed")
            return nil
        }
        return (scalar.string, scalar.style != .plain)
    }

    var isMapping: Bool {
        if case .mapping = node { true } else { false }
    }

    var isList: Bool {
        if case .sequence = node { true } else { false }
    }

    private var isNull: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private var kind: String { isNull ? "without a value" : Self.kind(of: node) }

    private static func kind(of node: Yams.Node) -> String {
        switch node {
        case .scalar: "a single value"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    /// Whether the node has an anchor; an alias has its anchor's node.
    private func hasAnchor(_ node: Yams.Node) -> Bool {
        withExtendedLifetime(document.parser) { node.anchor != nil }
    }

    /// Anchors, aliases and type tags are not supported.
    private var isSupported: Bool {
        guard !hasAnchor(node) else {
            fault("has a YAML anchor or is an alias; they are not supported, write the value out")
            return false
        }
        let tag = node.tag.rawValue
        guard Self.tags.contains(tag) else {
            fault("has a YAML tag; tags are not supported, leave it out")
            return false
        }
        return true
    }

    /// The tag of a value that has none written.
    private static let tags = [Tag.Name.str, .map, .seq, .implicit].map(\.rawValue)
}

struct ConfigurationMapping {
    let place: ConfigurationPlace
    let faults: FaultCollector
    let members: [Member]

    struct Member {
        let key: String
        let value: ConfigurationNode
    }

    subscript(key: String) -> ConfigurationNode? { members.value(of: key) }

    /// A fault where it is left out.
    func required(_ key: String, _ fix: String) -> ConfigurationNode? {
        if let member = self[key] { return member }
        faults.fault(place.member(key, line: place.line), "is missing; \(fix)")
        return nil
    }
}

extension [ConfigurationMapping.Member] {
    /// The few members are looked through.
    func value(of key: String) -> ConfigurationNode? {
        for index in indices where self[index].key == key { return self[index].value }
        return nil
    }
}
