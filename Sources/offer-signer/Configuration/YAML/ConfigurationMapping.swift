/// The known members of a mapping in a configuration file.
struct ConfigurationMapping {
    /// Where the mapping begins.
    let place: ConfigurationPlace
    /// Where faults go.
    let faults: FaultCollector
    /// The members by their keys.
    let members: [String: ConfigurationNode]

    /// The member with that key; `nil` when it is left out.
    subscript(key: String) -> ConfigurationNode? { members[key] }

    /// The member with that key, which must not be left out.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - mend: What to write, for the fault.
    /// - Returns: The member; `nil` after recording a fault.
    func required(_ key: String, _ mend: String) -> ConfigurationNode? {
        if let member = members[key] { return member }
        faults.fault(place.member(key, line: place.line), "is missing; \(mend)")
        return nil
    }
}
