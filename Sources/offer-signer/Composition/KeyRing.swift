import Crypto
import OfferService
import SubscriptionKeys

/// A private key that signs as long as its self-tests pass.
typealias GuardedKey = GuardedSigner<SigningKey>

/// Loads the keys while the configuration is read, so that a key at fault is reported beside everything else.
///
/// One key that several apps name is loaded once.
final class KeyRing {
    private struct Name: Hashable {
        let file: String
        let id: String
    }

    /// `nil` when the system did not give the memory.
    private(set) var memory: SecureHeap.Status?
    private var keys: [Name: GuardedKey] = [:]
    private var publicKeys: [Name: P256.Signing.PublicKey] = [:]

    /// Makes the memory ready, without which no key can be loaded; returns a warning.
    func prepareMemory(allowsUnlocked: Bool, usesSecret: Bool) throws(ValueFault) -> String? {
        do throws(KeyError) {
            let memory = try SecureHeap.initialize(allowUnlocked: allowsUnlocked, secret: usesSecret)
            self.memory = memory
            return memory.isLocked ? nil : "keys are in memory that is not locked, and can reach the swap"
        } catch {
            throw ValueFault("\(error); or allow it by keys.allowUnlockedMemory: true")
        }
    }

    /// Loads a private key, proves it, and keeps it.
    func load(_ key: KeySettings, isGroupReadable: Bool) throws(ValueFault) -> [UInt8]? {
        guard let file = key.file, memory != nil else { return nil }
        let name = Name(file: file, id: key.id)
        if let known = keys[name] { return known.signer.publicKeySHA256 }
        do throws(KeyError) {
            let access: FileAccess = isGroupReadable ? .groupReadable : .ownerOnly
            let signer = try SigningKey(contentsOf: file, keyIdentifier: key.id, access: access)
            keys[name] = GuardedKey(signer)
            return signer.publicKeySHA256
        } catch {
            throw ValueFault("\(error)")
        }
    }

    /// The two halves must belong together if the private key was loaded before.
    func loadPublicKey(of key: KeySettings) throws(ValueFault) {
        guard let file = key.publicKeyFile else { return }
        let publicKey = try P256PublicKeyFile.read(file)
        if let privateFile = key.file, let pair = keys[Name(file: privateFile, id: key.id)],
            pair.signer.publicKeySPKI != Array(publicKey.derRepresentation)
        {
            throw ValueFault("\(Echo.path(file)) does not belong to the private key of this entry; name one of them")
        }
        publicKeys[Name(file: file, id: key.id)] = publicKey
    }

    /// The private keys of an app, in the order of its settings.
    func keys(for settings: [KeySettings]) -> [GuardedKey] {
        settings.compactMap { key in key.file.flatMap { keys[Name(file: $0, id: key.id)] } }
    }

    func retiredKeys(for settings: [KeySettings]) -> [RetiredKey] {
        settings.compactMap { key in
            guard key.file == nil, let file = key.publicKeyFile else { return nil }
            return publicKeys[Name(file: file, id: key.id)].map { RetiredKey(keyIdentifier: key.id, publicKey: $0) }
        }
    }
}

/// A key that no longer signs: its public half recognises what it signed.
struct RetiredKey: Sendable {
    let keyIdentifier: String
    let publicKey: P256.Signing.PublicKey
}
