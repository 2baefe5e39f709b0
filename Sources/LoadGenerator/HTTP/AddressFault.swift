/// Why an address cannot be used.
public struct AddressFault: Error, CustomStringConvertible {
    /// The reason, in words that follow the option's name.
    public let description: String
}
