/// Values by their keys, of which there are mostly few: those are looked through one by one, as hashing a key takes
/// longer; where there are many, by a dictionary.
struct FewValues<Key: Hashable, Value> {
    private static var mostLookedThrough: Int { 4 }

    // A pair of its own: an array of tuples is copied and destroyed by code that has to ask what is in them.
    fileprivate struct Kept {
        let key: Key
        let value: Value
    }

    private var few: [Kept] = []
    private var others: [Key: Value] = [:]

    var isEmpty: Bool { few.isEmpty }

    subscript(key: Key) -> Value? {
        for index in few.indices where few[index].key == key { return few[index].value }
        return others.isEmpty ? nil : others[key]
    }

    /// Keeps a value for a key that has none yet.
    mutating func keep(_ value: Value, for key: Key) {
        if few.count < Self.mostLookedThrough {
            few.append(Kept(key: key, value: value))
        } else {
            others[key] = value
        }
    }
}

extension FewValues.Kept: Sendable where Key: Sendable, Value: Sendable {}
extension FewValues: Sendable where Key: Sendable, Value: Sendable {}
