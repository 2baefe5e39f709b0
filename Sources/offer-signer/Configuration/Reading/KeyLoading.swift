/// Loads keys while the configuration is read, so that a key at fault is reported beside everything else.
protocol KeyLoading {
    /// Makes the memory ready, before the first key is loaded; returns a warning. Throws when the system does not give
    /// such memory: then no key can be loaded.
    func prepareMemory(allowsUnlocked: Bool, usesSecret: Bool) throws(ValueFault) -> String?

    /// Loads a private key, proves it, and keeps it; returns the SHA-256 of its public half's SubjectPublicKeyInfo,
    /// `nil` without memory for keys, which has its fault already.
    func load(_ key: KeySettings, isGroupReadable: Bool) throws(ValueFault) -> [UInt8]?

    /// Loads a public key and keeps it; where the private key was loaded before, the two must belong together.
    func loadPublicKey(of key: KeySettings) throws(ValueFault)
}
