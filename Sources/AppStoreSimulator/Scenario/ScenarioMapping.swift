/// The members of a mapping in `app-store.yaml`.
struct ScenarioMapping {
    /// The mapping itself.
    let node: ScenarioNode
    /// The members by their keys.
    let members: [String: ScenarioNode]

    /// The member with that key; `nil` when it is left out.
    subscript(key: String) -> ScenarioNode? { members[key] }

    /// The member with that key, which must be there.
    ///
    /// - Parameter key: The key.
    /// - Returns: The member.
    /// - Throws: `SimulatorFault` when it is left out.
    func required(_ key: String) throws(SimulatorFault) -> ScenarioNode {
        guard let member = members[key] else { throw node.fault("has no \(key); it is needed") }
        return member
    }

    /// The elements of the list with that key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The elements; none when the list is left out.
    /// - Throws: `SimulatorFault` when it is no list.
    func list(_ key: String) throws(SimulatorFault) -> [ScenarioNode] {
        guard let member = members[key] else { return [] }
        return try member.list()
    }
}
