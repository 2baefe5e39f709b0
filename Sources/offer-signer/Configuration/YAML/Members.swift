/// The members of a mapping, each declared where it is read: its name, its kind, and its default, or what to write where it is
/// missing.
///
/// What nobody declared is a fault. What is read goes on record (``ConfigurationInUse``), in a mapping that has a path there.
final class Members {
    let node: ConfigurationNode
    /// The path of its values on record, empty for a file; `nil` where they are not recorded.
    var path: String?
    /// The members of earlier versions, each with its fix.
    var replaced: [String: String] = [:]

    private let members: [ConfigurationNode.Member]
    private var declared: [String] = []

    init(of node: ConfigurationNode, _ members: [ConfigurationNode.Member]) {
        self.node = node
        self.members = members
    }

    /// The names that were declared, in their order.
    var known: [String] {
        declared.reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
    }

    /// A member of any kind; with a fix, it is a fault to leave it out.
    func member(_ name: String, required fix: String? = nil) -> ConfigurationNode? {
        declared.append(name)
        if let found = members.first(where: { $0.key == name }) { return found.node }
        if let fix { node.faults.fault(node.place.member(name, line: node.place.line), "is missing; \(fix)") }
        return nil
    }

    func value<Value>(_ name: String, _ kind: ValueKind<Value>, required fix: String? = nil) -> Value? {
        let value = member(name, required: fix)?.value(kind)
        if kind.isShown { record(name, value.map(kind.text)) }
        return value
    }

    func value<Value>(_ name: String, _ kind: ValueKind<Value>, default fallback: Value) -> Value {
        let value = member(name)?.value(kind) ?? fallback
        record(name, kind.text(value))
        return value
    }

    func values<Value: Hashable>(
        _ name: String,
        of kind: ValueKind<Value>,
        required fix: String? = nil
    ) -> Set<Value>? {
        member(name, required: fix)?.values(of: kind, isRequired: fix != nil).map { recorded($0, name, kind) }
    }

    func values<Value: Hashable>(
        _ name: String,
        of kind: ValueKind<Value>,
        default fallback: Set<Value>
    ) -> Set<Value> {
        values(name, of: kind) ?? recorded(fallback, name, kind)
    }

    private func recorded<Value>(_ values: Set<Value>, _ name: String, _ kind: ValueKind<Value>) -> Set<Value> {
        record(name, ConfigurationInUse.list(values.map(kind.text).sorted()))
        return values
    }

    func record(_ name: String, _ text: String?) {
        guard let path, let text else { return }
        node.faults.recorded[path.isEmpty ? name : path + "." + name] = text
    }

    /// Refuses what nobody declared, once all is read.
    func refuseOthers() {
        for member in members where !declared.contains(member.key) {
            let fix = replaced[member.key].map { "is no longer known; " + $0 }
            node.faults.fault(
                node.place.member(Echo.key(member.key, among: known), line: member.node.place.line),
                fix ?? "is not known; \(Echo.hint(for: member.key, among: known))"
            )
        }
    }
}

extension Members {
    /// Reads a list of mappings, each with an id of its own, by what `read` declares of each; `nil` where there is no list.
    ///
    /// An id at fault is `nil`. `uses` has the ids of all lists that share them.
    func things<Thing>(
        _ list: String,
        id name: String = "id",
        _ kind: ValueKind<String> = .identifier,
        fix: String = "write it as in App Store Connect",
        required: String? = nil,
        empty: String? = nil,
        unique uses: FirstUses<String> = FirstUses(),
        recordedIn owner: Members?,
        _ read: (Members, String?) -> Thing?
    ) -> [Thing]? {
        member(list, required: required)?.list(empty: empty)?.compactMap { node in
            node.mapping { thing in
                let id = thing.value(name, kind, required: fix)
                uses.claim(id, at: thing.member(name))
                if let id, let owner, let path = owner.path {
                    let element = ConfigurationInUse.element(id, of: list)
                    owner.record(element, "there")
                    thing.path = path.isEmpty ? element : path + "." + element
                }
                return read(thing, id)
            }
        }
    }
}
