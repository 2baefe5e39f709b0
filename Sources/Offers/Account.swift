/// The account that a signature is bound to: the client has to set exactly this one on the payment.
package enum Account: Hashable, Sendable {
    /// StoreKit 2's `appAccountToken`, signed in lowercase.
    case appAccountToken(AppAccountToken)
    /// StoreKit 1's `applicationUsername`, signed verbatim.
    case applicationUsername(String)
    /// None: the payload's field is empty, and the client must set neither.
    case none

    /// In bytes of UTF-8.
    package static let maximumUsernameBytes = 512

    package var payloadField: String {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): name
        case .none: ""
        }
    }

    /// The token that StoreKit stores with the purchase: an `applicationUsername` that is a UUID becomes its
    /// `appAccountToken`.
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
    /// 16 bytes or more, of an HMAC (RFC 2104).
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes all bytes at once: an array would hash each of them by itself.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// A UUID that stands for the account's token in held transactions: nobody can compute it without the key.
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

/// The port to the holder of the key that makes the digests of accounts.
package protocol AccountDigester: Sendable {
    /// The same text, such as ``Account/stateKey``, has the same digest in one app, and another one in another app.
    func digest(of text: String, bundleId: String) -> AccountDigest
}

/// The UUID by which an app ties a purchase to its own account (StoreKit 2's `Product.PurchaseOption.appAccountToken`).
///
/// Apple signs and compares it in lowercase, whatever case the app wrote.
package struct AppAccountToken: Hashable, Sendable {
    /// The UUID's text in lowercase: 36 characters, RFC 9562 §4.
    package let lowercased: String

    /// Reads `8-4-4-4-12` hexadecimal digits in either case; anything else gives `nil`.
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

    /// Takes the text of a UUID, known to be one and in lowercase.
    init(lowercased: String) {
        self.lowercased = lowercased
    }
}

/// The text that ends the customer's part of an `applicationUsername`.
///
/// Many apps put an order into it, as in `4711-order-8`: the customer of many orders is one customer all the same.
package struct CustomerSeparator: Equatable, Sendable {
    /// In bytes of UTF-8.
    package static let byteCounts = 1...16

    private let bytes: [UInt8]

    package init?(_ text: String) {
        guard Self.byteCounts.contains(text.utf8.count) else { return nil }
        bytes = Array(text.utf8)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a UUID may have it in it, so that a part of one would be a customer.
    package var cutsUUIDs: Bool {
        (0...max(0, 36 - bytes.count)).contains { start in
            bytes.enumerated().allSatisfy { index, byte in
                let isHyphen = byte == UInt8(ascii: "-")
                return [8, 13, 18, 23].contains(start + index) ? isHyphen : Hexadecimal.isDigit(byte)
            }
        }
    }

    /// The customer in a name: the UUID that it begins with, or all before the first separator, compared by bytes; the
    /// whole name where that is nothing.
    package func customer(in name: String) -> String {
        var name = name
        // A separator that UUIDs have would make one customer of many.
        if let uuid = AppAccountToken(String(decoding: name.utf8.prefix(36), as: UTF8.self)),
            name.utf8.dropFirst(36).starts(with: bytes)
        {
            return uuid.lowercased
        }
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
    /// An `applicationUsername` that is a UUID and the same `appAccountToken` are one customer, as they are to
    /// StoreKit: no separator is looked for in it.
    package func customer(by separator: CustomerSeparator?) -> String? {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): storedToken?.lowercased ?? separator?.customer(in: name) ?? name
        case .none: nil
        }
    }
}
