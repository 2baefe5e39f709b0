import SubscriptionKeys

/// The keys that were loaded while the configuration was read.
///
/// One key that several apps name is loaded once.
final class KeyRing: KeyLoading {
    private struct Name: Hashable {
        let file: String
        let id: String
    }

    private var keys: [Name: SigningKey] = [:]

    func load(file: String, id: String) throws(ValueFault) -> [UInt8] {
        let name = Name(file: file, id: id)
        if let known = keys[name] { return known.publicKeySHA256 }
        do throws(KeyFileError) {
            let key = try SigningKey(contentsOf: file, keyIdentifier: id)
            keys[name] = key
            return key.publicKeySHA256
        } catch {
            throw ValueFault("\(error)")
        }
    }

    /// The keys of an app, in the order of its settings; those that need no private file are left out.
    ///
    /// - Parameter settings: The settings of the app's keys.
    /// - Returns: The keys.
    func keys(for settings: [KeySettings]) -> [SigningKey] {
        settings.compactMap { key in key.file.flatMap { keys[Name(file: $0, id: key.id)] } }
    }
}
