/// The account that a signature is bound to: exactly what the client has to set on the payment.
package enum Account: Hashable, Sendable {
    /// StoreKit 2's `appAccountToken`, signed in lowercase.
    case appAccountToken(AppAccountToken)
    /// StoreKit 1's `applicationUsername`, signed verbatim.
    case applicationUsername(String)
    /// None: the payload's field is empty, and the client must set neither.
    case none

    /// How many bytes of UTF-8 an `applicationUsername` may take.
    package static let maximumUsernameBytes = 512

    /// The text of the payload's account field.
    package var payloadField: String {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): name
        case .none: ""
        }
    }

    /// The token that the App Store keeps with the purchase.
    ///
    /// StoreKit stores an `applicationUsername` that is a UUID as the transaction's `appAccountToken`.
    package var storedToken: AppAccountToken? {
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
package struct AccountDigest: Hashable, Sendable {
    /// The bytes: 16 or more, of an HMAC (RFC 2104).
    package let bytes: [UInt8]

    /// Takes the bytes of a digest.
    ///
    /// - Parameter bytes: The bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes the bytes all at once: an array would have each of them hashed by itself.
    ///
    /// - Parameter hasher: What hashes them.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// What stands for the account's token in held transactions: a UUID that nobody can compute without the key.
    package var pseudonym: AppAccountToken {
        AppAccountToken(lowercased: String.uuid(octets: bytes.count) { bytes[$0] })
    }
}

extension Account {
    /// The text by which state is found for the account; `nil` for none.
    ///
    /// A name that is a UUID is the same account as the token: StoreKit stores it as one.
    package var stateKey: String? {
        switch self {
        case .none: nil
        case .appAccountToken, .applicationUsername: storedToken?.lowercased ?? payloadField
        }
    }
}

/// Makes the digests of accounts: the port to the holder of the key.
package protocol AccountDigester: Sendable {
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
package struct AppAccountToken: Hashable, Sendable {
    /// The UUID's text in lowercase: 36 characters, RFC 9562 §4.
    package let lowercased: String

    /// Reads a UUID's text in either case.
    ///
    /// - Parameter text: `8-4-4-4-12` hexadecimal digits. Anything else gives `nil`.
    package init?(_ text: String) {
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

/// The text that ends the customer's part of an `applicationUsername`.
///
/// Many apps put an order into it, as in `4711-order-8`: the customer of many orders is one customer all the same.
package struct CustomerSeparator: Equatable, Sendable {
    /// How many bytes of UTF-8 it may have.
    package static let byteCounts = 1...16

    private let bytes: [UInt8]

    /// Takes a text; `nil` where it has too few bytes or too many.
    package init?(_ text: String) {
        guard Self.byteCounts.contains(text.utf8.count) else { return nil }
        bytes = Array(text.utf8)
    }

    /// The customer in a name: all before the first separator, compared by bytes; the whole name where that is nothing.
    package func customer(in name: String) -> String {
        var name = name
        let length = name.withUTF8 { name in
            (0...max(0, name.count - bytes.count)).first { name[$0...].starts(with: bytes) }
        }
        guard let length, length > 0 else { return name }
        return String(decoding: name.utf8.prefix(length), as: UTF8.self)
    }
}

extension Account {
    /// The text by which the customer is counted; `nil` where no account is named.
    ///
    /// An `applicationUsername` that is a UUID and the same `appAccountToken` are one customer, as they are to StoreKit:
    /// no separator is looked for in it.
    package func customer(by separator: CustomerSeparator?) -> String? {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): storedToken?.lowercased ?? separator?.customer(in: name) ?? name
        case .none: nil
        }
    }
}
