/// A field of the payload that holds U+2063 and therefore cannot be signed.
public enum SeparatorInField: String, Error, Equatable {
    /// The app's bundle identifier.
    case bundleId
    /// The key's identifier.
    case keyIdentifier
    /// The product identifier.
    case productId
    /// The offer's identifier.
    case offerId
    /// The app account token or the application username.
    case account
    /// The one-time UUID.
    case nonce
    /// The moment of signing.
    case timestamp
}
