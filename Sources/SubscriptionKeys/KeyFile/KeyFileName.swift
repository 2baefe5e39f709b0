/// The name that App Store Connect gives the file of a key, with the key's identifier in it.
public struct KeyFileName: Equatable, Sendable {
    /// What kind of key has such a name.
    public enum Kind: String, CaseIterable, Sendable {
        /// An In-App Purchase key, also called a subscription key: `SubscriptionKey_<id>.p8`.
        case inAppPurchase = "SubscriptionKey_"
        /// A key of the App Store Connect API: `AuthKey_<id>.p8`.
        case appStoreConnect = "AuthKey_"
    }

    /// The kind of key.
    public let kind: Kind
    /// The key's identifier.
    public let keyIdentifier: String

    /// Reads a file's name.
    ///
    /// - Parameter path: The file, with or without its directory. Another name gives `nil`, as does an identifier that is
    ///   not made of ASCII letters and digits.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasSuffix(".p8"), let kind = Kind.allCases.first(where: { name.hasPrefix($0.rawValue) }) else {
            return nil
        }
        let identifier = name.dropFirst(kind.rawValue.count).dropLast(3)
        guard !identifier.isEmpty, identifier.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return nil
        }
        self.kind = kind
        keyIdentifier = String(identifier)
    }

    /// What an operator should know of such a name, a clause that follows the file; `nil` when there is nothing.
    public var note: String? {
        switch kind {
        case .inAppPurchase: nil
        case .appStoreConnect:
            "has the name of an App Store Connect API key (AuthKey_<id>.p8), and StoreKit refuses what such a key signs; "
                + "use an In-App Purchase key, or, if it is one, name it SubscriptionKey_<id>.p8"
        }
    }
}
