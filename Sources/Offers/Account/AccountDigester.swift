/// Makes the digests of accounts: the port to whoever holds the key.
public protocol AccountDigester: Sendable {
    /// Makes a digest.
    ///
    /// - Parameters:
    ///   - text: The account's text, such as ``Account/stateKey``.
    ///   - bundleId: The app: the same account of another app has another digest.
    /// - Returns: The digest; the same text and app always give the same one.
    func digest(of text: String, bundleId: String) -> AccountDigest
}
