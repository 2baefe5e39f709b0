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

/// A keyed digest of an account, which stands for it in everything that is kept.
///
/// Without the key nobody can tell whose it is, nor try names until one fits.
public struct AccountDigest: Hashable, Sendable {
    /// The bytes: 16 or more, of an HMAC (RFC 2104).
    public let bytes: [UInt8]

    /// Takes the bytes of a digest.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes the bytes all at once: an array would have each of them hashed by itself.
    ///
    /// - Parameter hasher: What hashes them.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// What stands for the account's token in held transactions: a UUID that nobody can compute without the key.
    public var pseudonym: AppAccountToken {
        AppAccountToken(lowercased: String.uuid(octets: bytes.count) { bytes[$0] })
    }
}

extension Account {
    /// The text by which state is found for the account; `nil` for none.
    ///
    /// A name that is a UUID is the same account as the token: StoreKit stores it as one.
    public var stateKey: String? {
        switch self {
        case .none: nil
        case .appAccountToken, .applicationUsername: storedToken?.lowercased ?? payloadField
        }
    }
}

/// Makes the digests of accounts: the port to the holder of the key.
public protocol AccountDigester: Sendable {
    /// Makes a digest.
    ///
    /// - Parameters:
    ///   - text: The account's text, such as ``Account/stateKey``.
    ///   - bundleId: The app: the same account of another app has another digest.
    /// - Returns: The digest; the same text and app always give the same one.
    func digest(of text: String, bundleId: String) -> AccountDigest
}

/// The UUID by which an app ties a purchase to its own account (`Product.PurchaseOption.appAccountToken` of StoreKit 2).
///
/// Apple signs and compares it in lowercase, whatever case the app wrote.
public struct AppAccountToken: Hashable, Sendable {
    /// The UUID's text in lowercase: 36 characters, RFC 9562 §4.
    public let lowercased: String

    /// Reads a UUID's text in either case.
    ///
    /// - Parameter text: `8-4-4-4-12` hexadecimal digits. Anything else gives `nil`.
    public init?(_ text: String) {
        let bytes = text.utf8.span
        guard bytes.count == 36 else { return nil }
        var hasUppercase = false
        for index in bytes.indices {
            let byte = bytes[index]
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard Hexadecimal.isDigit(byte) else { return nil }
                hasUppercase = hasUppercase || byte < UInt8(ascii: "a") && byte > UInt8(ascii: "9")
            }
        }
        // Nearly always it is written in lowercase already.
        self.lowercased = hasUppercase ? text.lowercased() : text
    }

    /// Takes a text that is known to be a UUID's in lowercase.
    init(lowercased: String) {
        self.lowercased = lowercased
    }
}

/// A pattern for the part of an `applicationUsername` that names the customer.
///
/// Many apps put an order into it, as in `4711-order-8`: the customer of many orders is one customer all the same.
public struct CustomerPattern: Equatable, Sendable {
    /// The regular expression, in the syntax of Swift's `Regex`, with one capture group.
    public let text: String

    // `nonisolated(unsafe)`: never changed, and made of text alone, without the closures for which Regex is not Sendable.
    private nonisolated(unsafe) let regex: Regex<AnyRegexOutput>

    /// Reads a pattern.
    ///
    /// - Parameter text: A regular expression with one capture group; what is none gives `nil`.
    public init?(_ text: String) {
        guard let regex = try? Regex(text) else { return nil }
        self.text = text
        self.regex = regex
    }

    /// The customer in a name.
    ///
    /// - Parameter name: The `applicationUsername`.
    /// - Returns: What the group caught; `nil` when the pattern is not found in the name, or its group caught nothing.
    public func customer(in name: String) -> String? {
        guard let match = try? regex.firstMatch(in: name), match.output.count > 1,
            let part = match.output[1].substring, !part.isEmpty
        else { return nil }
        return String(part)
    }

    /// Equal by their text.
    public static func == (left: CustomerPattern, right: CustomerPattern) -> Bool { left.text == right.text }
}

extension Account {
    /// The text by which the customer is counted; `nil` where no account is named.
    ///
    /// An `applicationUsername` that is a UUID and the same `appAccountToken` are one customer, as they are to StoreKit:
    /// no pattern is looked for in it.
    ///
    /// - Parameter pattern: Which part of an `applicationUsername` is the customer; `nil` when all of it is.
    /// - Returns: The text.
    public func customer(by pattern: CustomerPattern?) -> String? {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): storedToken?.lowercased ?? pattern?.customer(in: name) ?? name
        case .none: nil
        }
    }
}
