import Crypto
import Offers

/// The keys that signed a ledger's statements, one after the other, and which of them has to have signed what.
///
/// A chain begins and ends by the key of its time. What takes the place of an earlier one, which is retention statements,
/// losses and the checkpoint, is by the newest key: a change of the key signs those that are there anew.
struct CheckpointKeys: Sendable {
    let newest: P256.Signing.PublicKey
    let changes: [LedgerKeyChange]
    /// The faults of the changes, each in words.
    let faults: [String]
    /// The key before each change; `nil` for what is no key.
    private let former: [P256.Signing.PublicKey?]

    /// Goes from the newest key, which the configuration names, back through the changes.
    ///
    /// After a fault it goes on with the keys that the changes name, so that one fault is not one for each chain.
    init(newest: P256.Signing.PublicKey, changes: [LedgerKeyChange]) {
        self.newest = newest
        self.changes = changes
        former = changes.map { try? P256.Signing.PublicKey(derRepresentation: $0.oldKey) }
        var faults: [String] = []
        var (next, following) = (Array(newest.derRepresentation), "the key of the configuration")
        for (index, change) in changes.enumerated().reversed() {
            let previous = index > 0 ? changes[index - 1] : nil
            let name = "change \(change.number) of the checkpoint key"
            if change.newKey != next {
                faults.append("\(name) does not lead to \(following): that change is missing, or this one was put in")
            }
            if change.number != Int64(index) + 1 {
                // Somebody may have written any number.
                faults.append("\(name) is not preceded by change \(change.number &- 1), which is missing")
            } else if !change.isSigned(after: previous) {
                faults.append("\(name) is not signed by its old key and its new key: it was changed, or put in")
            }
            (next, following) = (change.oldKey, "the key before change \(change.number)")
        }
        self.faults = faults.reversed()
    }

    /// The key that a chain begins and ends by; the first chain has the place 0.
    private func key(ofChainAt place: Int) -> P256.Signing.PublicKey? {
        guard let index = changes.firstIndex(where: { place < $0.chains }) else { return newest }
        return former[index]
    }

    func isSigned(_ chain: LedgerChain, at place: Int) -> Bool {
        key(ofChainAt: place).map { chain.isSigned(by: $0) } ?? false
    }

    func isSigned(_ statement: LedgerStatement, of chain: LedgerChain, at place: Int) -> Bool {
        let key = statement.kind == .end ? key(ofChainAt: place) : newest
        return key.map { statement.isSigned(by: $0, of: chain) } ?? false
    }

    /// The changes, in words, before which chains began or ended otherwise than was signed then.
    func faults(of chains: [LedgerChain], ends: [LedgerStatement]) -> [String] {
        changes.filter { change in
            change.digest != LedgerKeyChange.digest(chains.prefix(Int(clamping: max(change.chains, 0))), ends: ends)
        }.map { change in
            "the \(change.chains) chains before change \(change.number) of the checkpoint key do not begin and end as was "
                + "signed then"
        }
    }
}

extension Session {
    /// The keys of all statements, by the newest; it throws where a change of the key was changed.
    func checkpointKeys(_ newest: P256.Signing.PublicKey) throws(StorageFailure) -> CheckpointKeys {
        let keys = CheckpointKeys(newest: newest, changes: try keyChanges())
        if let fault = keys.faults.first { throw LedgerSigning.changed(fault) }
        return keys
    }
}
