/// Remembers where each value was first used, to find the second use of one that must be unique.
struct FirstUses<Value: Hashable> {
    private var places: [Value: ConfigurationPlace] = [:]

    /// Returns the first use; `nil` where this is the first.
    mutating func record(_ value: Value, at place: ConfigurationPlace) -> ConfigurationPlace? {
        if let first = places[value] { return first }
        places[value] = place
        return nil
    }
}

extension FirstUses {
    /// Records a fault for every use but the first.
    ///
    /// `nil` has its fault already.
    mutating func claim(_ value: Value?, at node: ConfigurationNode?, _ meaning: String) {
        guard let value, let node, let first = record(value, at: node.place) else { return }
        let line = first.line.map { ", on line \($0)" } ?? ""
        node.fault("is also \(meaning)\(line): \(first.keyPath); each is listed once")
    }
}

/// Remembers under which ids the keys of a catalog were named, to find a file that was copied or mixed up.
///
/// Keys of App Store Connect serve every app of an account: the same file under the same id in many apps is in order.
struct KeyUses {
    /// An accident that a further use of a key or an id reveals.
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

    mutating func record(_ id: String, _ fingerprint: [UInt8], at place: ConfigurationPlace) -> Accident? {
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
