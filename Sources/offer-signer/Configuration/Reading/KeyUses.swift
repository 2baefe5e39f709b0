/// Remembers under which ids the keys of a catalog were named, to find a file that was copied or mixed up.
///
/// Keys of App Store Connect serve every app of an account: the same file under the same id in many apps is in order.
struct KeyUses {
    /// What a further use of a key or an id shows.
    enum Accident {
        /// The key has another id at the place.
        case sameKey(ConfigurationPlace)
        /// The id is that of another key at the place.
        case otherKey(ConfigurationPlace)
    }

    private struct Use {
        let id: String
        let fingerprint: [UInt8]
        let place: ConfigurationPlace
    }

    private var byFingerprint: [[UInt8]: Use] = [:]
    private var byID: [String: Use] = [:]

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - id: The key's id.
    ///   - fingerprint: The SHA-256 of its public half.
    ///   - place: Where its file is named.
    /// - Returns: What is wrong with it beside an earlier use; `nil` when nothing is.
    mutating func note(_ id: String, _ fingerprint: [UInt8], at place: ConfigurationPlace) -> Accident? {
        let use = Use(id: id, fingerprint: fingerprint, place: place)
        if let known = byFingerprint[fingerprint] {
            if known.id != id { return .sameKey(known.place) }
        } else {
            byFingerprint[fingerprint] = use
        }
        guard let known = byID[id] else {
            byID[id] = use
            return nil
        }
        return known.fingerprint == fingerprint ? nil : .otherKey(known.place)
    }
}
