/// How keys are kept, of all apps alike.
struct KeyProtection: Equatable, Sendable {
    /// Whether to go on, with a warning, when the system does not lock the keys' memory.
    let allowsUnlockedMemory: Bool
    /// Whether the groups of key files may read them.
    let isGroupReadable: Bool
    /// Whether to use memory that not even root can read, where the kernel has it.
    let usesSecretMemory: Bool
}
