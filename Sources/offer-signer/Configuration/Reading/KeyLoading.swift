/// Loads keys while the configuration is read, so that a key at fault is reported beside everything else.
protocol KeyLoading {
    /// Makes the memory ready that keys are kept in, before the first is loaded.
    ///
    /// - Parameters:
    ///   - allowsUnlocked: Whether to go on, with a warning, when the system does not lock the memory.
    ///   - usesSecret: Whether to use memory that not even root can read, where the kernel has it.
    /// - Returns: What to warn of; `nil` when the memory is as it should be.
    /// - Throws: ``ValueFault`` when the system does not give such memory. No key can be loaded then.
    func prepareMemory(allowsUnlocked: Bool, usesSecret: Bool) throws(ValueFault) -> String?

    /// Loads a private key, proves it, and keeps it.
    ///
    /// - Parameters:
    ///   - key: The key, which has a `file`.
    ///   - isGroupReadable: Whether the file's group may read it.
    /// - Returns: The SHA-256 of the public key's SubjectPublicKeyInfo, 32 bytes; `nil` when the memory is not ready,
    ///   which has its fault already.
    /// - Throws: ``ValueFault`` saying what the file is, and what was expected.
    func load(_ key: KeySettings, isGroupReadable: Bool) throws(ValueFault) -> [UInt8]?

    /// Loads a public key and keeps it; where the private key was loaded before, the two must belong together.
    ///
    /// - Parameter key: The key, which has a `publicKeyFile`.
    /// - Throws: ``ValueFault`` saying what the file is, and what was expected.
    func loadPublicKey(of key: KeySettings) throws(ValueFault)
}
