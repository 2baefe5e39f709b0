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

    func fault(_ message: String) { faults.fault(place, message) }

    func warn(_ message: String) { faults.warning(place, message) }

    /// Reads a mapping by the members that `read` declares; others are faults.
    func mapping<Value>(_ read: (Members) -> Value?) -> Value? {
        guard isSupported else { return nil }
        guard isMapping else {
            // Nothing is there to be read, but the names are asked for.
            let nothing = Members(of: self, [])
            faults.silently { _ = read(nothing) }
            fault("is \(kind); a mapping is needed, with the keys \(nothing.known.joined(separator: ", "))")
            return nil
        }
        let members = Members(of: self, members { $0 })
        let value = read(members)
        members.refuseOthers()
        return value
    }

    /// The members of a mapping whose keys the operator chooses.
    func entries(of things: String) -> [Member]? {
        guard isSupported else { return nil }
        guard isMapping else {
            fault("is \(kind); a mapping is needed, with \(things)")
            return nil
        }
        return members { Echo.key($0) }
    }

    struct Member {
        let key: String
        let node: ConfigurationNode
    }

    /// `shown` is a name as messages may repeat it.
    private func members(shown: (String) -> String) -> [Member] {
        guard case .mapping(let mapping) = node else { return [] }
        var members: [Member] = []
        var names: Set<String> = []
        members.reserveCapacity(mapping.count)
        for (key, value) in mapping {
            let line = key.mark?.line
            guard case .scalar(let scalar) = key, !hasAnchor(key) else {
                let found = hasAnchor(key) ? "an anchor or an alias" : Self.kind(of: key)
                faults.fault(place.member("?", line: line), "a key is \(found); a key is a plain word")
                continue
            }
            let name = scalar.string
            if names.insert(name).inserted {
                let node = ConfigurationNode(value, place.member(shown(name), line: line), document, faults)
                members.append(Member(key: name, node: node))
            } else {
                faults.fault(place.member(Echo.key(name), line: line), "is given twice; keep one")
            }
        }
        return members
    }

    /// `fix` is what to do about an empty list; `nil` where there may be one.
    func list(each needed: String? = nil, empty fix: String? = nil) -> [ConfigurationNode]? {
        guard isSupported else { return nil }
        guard case .sequence(let sequence) = node else {
            fault("is \(kind); a list is needed\(needed.map { ", each " + $0 } ?? "")")
            return nil
        }
        if sequence.isEmpty, let fix {
            fault("is empty; \(fix)")
            return nil
        }
        return sequence.enumerated().map { index, element in
            ConfigurationNode(element, place.element(index, line: element.mark?.line), document, faults)
        }
    }

    /// A list of one value at least; `nil` where one of them is at fault, so that no rule judges the others alone.
    func values<Value: Hashable>(of kind: ValueKind<Value>, isRequired: Bool = false) -> Set<Value>? {
        let fix = isRequired ? "name at least one" : "name at least one, or leave the key out"
        guard let nodes = list(each: kind.needed, empty: fix) else { return nil }
        let values = nodes.compactMap { $0.value(kind) }
        return values.count == nodes.count ? Set(values) : nil
    }

    /// Quoted or not, but for plain kinds: an identifier of digits need not be quoted.
    func value<Value>(_ kind: ValueKind<Value>) -> Value? {
        guard let text = text(of: kind) else { return nil }
        do throws(ValueFault) {
            return try kind.parse(text)
        } catch {
            fault(error.message)
            return nil
        }
    }

    /// A scalar's text as it is written, whatever type YAML would see in it.
    func text<Value>(of wanted: ValueKind<Value>) -> String? {
        guard isSupported else { return nil }
        guard case .scalar(let scalar) = node else {
            fault("is \(kind); \(wanted.needed) is needed")
            return nil
        }
        guard !isNull else {
            fault("has no value; \(wanted.needed) is needed")
            return nil
        }
        guard !wanted.isPlain || scalar.style == .plain else {
            fault("is text in quotation marks; \(wanted.needed) is needed, without them")
            return nil
        }
        return scalar.string
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
