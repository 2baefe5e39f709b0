/// Loads private keys while the configuration is read, so that a key at fault is told beside everything else.
protocol KeyLoading {
    /// Loads a key, proves it, and keeps it.
    ///
    /// - Parameters:
    ///   - file: The absolute path of its P8 file.
    ///   - id: Its identifier in App Store Connect.
    /// - Returns: The SHA-256 of the public key's SubjectPublicKeyInfo, 32 bytes.
    /// - Throws: ``ValueFault`` saying what the file is, and what was expected.
    func load(file: String, id: String) throws(ValueFault) -> [UInt8]
}
