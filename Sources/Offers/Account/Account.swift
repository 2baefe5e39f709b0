/// The account that a signature is bound to: exactly what the client has to set on the payment.
public enum Account: Hashable, Sendable {
    /// StoreKit 2's `appAccountToken`, signed in lowercase.
    case appAccountToken(AppAccountToken)
    /// StoreKit 1's `applicationUsername`, signed verbatim.
    case applicationUsername(String)
    /// None: the payload's field is empty, and the client must set neither.
    case none

    /// How many bytes of UTF-8 an `applicationUsername` may take.
    public static let maximumUsernameBytes = 512

    /// The text of the payload's account field.
    public var payloadField: String {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): name
        case .none: ""
        }
    }

    /// The token that the App Store keeps with the purchase.
    ///
    /// StoreKit stores an `applicationUsername` that is a UUID as the transaction's `appAccountToken`.
    public var storedToken: AppAccountToken? {
        switch self {
        case .appAccountToken(let token): token
        case .applicationUsername(let name): AppAccountToken(name)
        case .none: nil
        }
    }
}
