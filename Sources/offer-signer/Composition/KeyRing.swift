import Crypto
import OfferService
import Offers
import SubscriptionKeys

/// A key of the catalog, of which it is known whether it may sign.
protocol GuardedKey: ES256Signer {
    /// The public key as the DER of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), 91 bytes.
    var publicKeySPKI: [UInt8] { get }
    /// The SHA-256 of ``publicKeySPKI``, 32 bytes: the key's fingerprint.
    var publicKeySHA256: [UInt8] { get }
    /// The failed self-test, after which it signs no more until it is loaded anew; `nil` as long as it signs.
    var failure: SigningFailure? { get }
    /// Why it does not sign now, which may end by itself, a clause; `nil` as long as it signs.
    var unavailability: String? { get }

    /// Tests the key, unless it has failed before; returns a new failure alone.
    func selfTest() async -> SigningFailure?
}

/// A key of a file.
extension GuardedSigner: GuardedKey where Signer == SigningKey {
    var publicKeySPKI: [UInt8] { signer.publicKeySPKI }
    var publicKeySHA256: [UInt8] { signer.publicKeySHA256 }
    var unavailability: String? { nil }
}

extension TokenKey: GuardedKey {}

/// Loads the keys while the configuration is read, so that a key at fault is reported beside everything else.
///
/// One key that several apps name is loaded once.
final class KeyRing {
    private struct Name: Hashable {
        var file: String?
        var token: TokenSettings?
        let id: String

        init(file: String, id: String) { (self.file, self.id) = (file, id) }
        init(token: TokenSettings, id: String) { (self.token, self.id) = (token, id) }
    }

    /// The modules that the process was started with; `nil` until they are loaded.
    private(set) var tokens: TokenModules?

    /// `nil` when the system did not give the memory.
    private(set) var memory: SecureHeap.Status?
    private var keys: [Name: any GuardedKey] = [:]
    private var publicKeys: [Name: P256.Signing.PublicKey] = [:]

    private let usesTokens: Bool
    /// Whether each signature by a file's key is verified before it leaves.
    var verifiesSignatures = false

    /// Begins a reading of the configuration; a reload has the modules of the start.
    init(tokens: TokenModules? = nil, usesTokens: Bool = true) {
        self.tokens = tokens
        self.usesTokens = usesTokens
        tokens?.beginReading()
    }

    func loadModules(_ files: [TokenModuleFile], sessions: Int, timeout: Duration) throws(KeyError) {
        if tokens == nil, usesTokens { tokens = try TokenModules(files, sessions: sessions, timeout: timeout) }
    }

    /// Finds a token's key, proves it, and keeps it.
    func load(_ key: KeySettings, _ token: TokenSettings, isGroupReadable: Bool) throws(ValueFault) -> TokenKey? {
        guard let tokens, memory != nil else { return nil }
        let name = Name(token: token, id: key.id)
        if let known = keys[name] { return known as? TokenKey }
        let point = try key.publicKeyFile.map { (file) throws(ValueFault) in try P256PublicKeyFile.read(file) }
        do throws(KeyError) {
            let pin = try token.pinFile.map { (file) throws(KeyError) in
                try TokenPIN(contentsOf: file, access: isGroupReadable ? .groupReadable : .ownerOnly)
            }
            let signer = try TokenKey(
                token.uri,
                modulePath: token.modulePath,
                in: tokens,
                keyIdentifier: key.id,
                pin: pin,
                publicPoint: point.map { Array($0.x963Representation) }
            )
            keys[name] = signer
            return signer
        } catch {
            throw ValueFault("\(error)")
        }
    }

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
        if let known = keys[name] { return known.publicKeySHA256 }
        do throws(KeyError) {
            let access: FileAccess = isGroupReadable ? .groupReadable : .ownerOnly
            let signer = try SigningKey(contentsOf: file, keyIdentifier: key.id, access: access)
            keys[name] = GuardedSigner(signer, verifies: verifiesSignatures)
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
            pair.publicKeySPKI != Array(publicKey.derRepresentation)
        {
            throw ValueFault("\(Echo.path(file)) does not belong to the private key of this entry; name one of them")
        }
        publicKeys[Name(file: file, id: key.id)] = publicKey
    }

    /// The private keys of an app, in the order of its settings.
    func keys(for settings: [KeySettings]) -> [any GuardedKey] {
        settings.compactMap { key in
            if let token = key.token { return keys[Name(token: token, id: key.id)] }
            return key.file.flatMap { keys[Name(file: $0, id: key.id)] }
        }
    }

    func retiredKeys(for settings: [KeySettings]) -> [RetiredKey] {
        settings.compactMap { key in
            guard key.file == nil, key.token == nil, let file = key.publicKeyFile else { return nil }
            return publicKeys[Name(file: file, id: key.id)].map { RetiredKey(keyIdentifier: key.id, publicKey: $0) }
        }
    }
}

/// A key that no longer signs: its public half recognises what it signed.
struct RetiredKey: Sendable {
    let keyIdentifier: String
    let publicKey: P256.Signing.PublicKey
}
