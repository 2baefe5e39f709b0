/// The known members of a mapping in a configuration file.
struct ConfigurationMapping {
    /// Where the mapping begins.
    let place: ConfigurationPlace
    /// Where faults go.
    let faults: FaultCollector
    /// The members, each with a key of its own.
    let members: [Member]

    /// A member with its key.
    struct Member {
        /// The key.
        let key: String
        /// The value.
        let value: ConfigurationNode
    }

    /// The member with that key; `nil` when it is left out.
    subscript(key: String) -> ConfigurationNode? { members.value(of: key) }

    /// The member with that key, which must not be left out.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fix: What to write, for the fault.
    /// - Returns: The member; `nil` after recording a fault.
    func required(_ key: String, _ fix: String) -> ConfigurationNode? {
        if let member = self[key] { return member }
        faults.fault(place.member(key, line: place.line), "is missing; \(fix)")
        return nil
    }
}

extension [ConfigurationMapping.Member] {
    /// The value of a key; the few that there are at the most are looked through.
    func value(of key: String) -> ConfigurationNode? {
        for index in indices where self[index].key == key { return self[index].value }
        return nil
    }
}
