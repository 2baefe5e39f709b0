/// Why a mix cannot be used.
public struct MixFault: Error, CustomStringConvertible {
    /// The reason, in words that follow the option's name.
    public let description: String
}
