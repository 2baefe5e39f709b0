public import FoundationEssentials

/// The account that the app sets on the payment, and that is signed.
public enum Account: Equatable, Hashable, Sendable {
    /// StoreKit's `appAccountToken`; signed, and written, in lowercase.
    case appAccountToken(UUID)
    /// StoreKit 1's `applicationUsername`, signed verbatim: at most 512 bytes.
    case applicationUsername(String)
    /// No account: the payment must have none either.
    case none
}

extension Account: Codable {
    private enum Key: String, CodingKey {
        case appAccountToken, applicationUsername
    }

    /// Reads an account from the object that names it.
    ///
    /// - Parameter decoder: The decoder, at the object.
    /// - Throws: `DecodingError` where a token is no UUID.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        if let token = try members.decodeIfPresent(UUID.self, forKey: .appAccountToken) {
            self = .appAccountToken(token)
        } else if let name = try members.decodeIfPresent(String.self, forKey: .applicationUsername) {
            self = .applicationUsername(name)
        } else {
            self = .none
        }
    }

    /// Writes the one member that names the account, or none.
    ///
    /// Foundation writes a UUID in uppercase, and an app that set that as its `applicationUsername` would be refused.
    ///
    /// - Parameter encoder: The encoder, at the object.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .appAccountToken(let token): try members.encode(token.uuidString.lowercased(), forKey: .appAccountToken)
        case .applicationUsername(let name): try members.encode(name, forKey: .applicationUsername)
        case .none: break
        }
    }
}
