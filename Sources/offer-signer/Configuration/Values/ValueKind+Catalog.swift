import FoundationEssentials
import Offers
import StrictJSON

/// The kinds of values that the catalog and the clients have beside those of settings.
extension ValueKind<String> {
    static var identifier: ValueKind { ValueKind(name: "identifier", article: "an", parse: Identifier.parse) }

    /// An identifier that has to be one of those that are known; of `nil`, any.
    static func identifier(of thing: String, among known: Set<String>?) -> ValueKind {
        ValueKind(name: "identifier", article: "an") { text throws(ValueFault) in
            let id = try Identifier.parse(text)
            guard let known, !known.contains(id) else { return id }
            throw ValueFault("\(Echo.name(id)) is no \(thing); \(Echo.hint(for: id, among: known.sorted()))")
        }
    }

    /// A key identifier of App Store Connect: of Apple's, each has ten characters.
    ///
    /// A much longer text is something else, maybe the key itself, of which a few in a hundred are of letters and digits
    /// alone.
    static var keyId: ValueKind {
        ValueKind(name: "key id") { text throws(ValueFault) in
            guard (1...20).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
            else {
                throw ValueFault(
                    "\(Echo.name(text)) is not a key id; App Store Connect shows it beside the key, ten letters and "
                        + "digits such as EXAMPLE123"
                )
            }
            return text
        }
    }

    static var issuerId: ValueKind {
        ValueKind(name: "issuer id", article: "an", isShown: false) { text throws(ValueFault) in
            guard AppAccountToken(text) != nil else {
                throw ValueFault("is not an issuer id; App Store Connect shows it above the keys, a UUID")
            }
            return text
        }
    }

    static var groupId: ValueKind {
        ValueKind(name: "identifier", article: "an") { text throws(ValueFault) in
            guard text != CatalogDraft.unknownGroup else {
                throw ValueFault(
                    "is the placeholder of `catalog write`: write the group's id as App Store Connect has it, digits, or "
                        + "write the catalog again with --group-id NAME=ID"
                )
            }
            return try Identifier.parse(text)
        }
    }

    /// Three letters, in upper case.
    static var storefront: ValueKind {
        ValueKind(name: "storefront") { text throws(ValueFault) in
            guard text.utf8.count == 3, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw ValueFault(
                    "\(Echo.name(text)) is no storefront; write the three letters that Apple has for it, such as USA or DEU"
                )
            }
            return text.uppercased()
        }
    }

    /// A link that is handed to apps: `https`, without a user or a password.
    static var link: ValueKind {
        ValueKind(name: "URL", isShown: false) { text throws(ValueFault) in
            guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), parts.user == nil,
                parts.password == nil, parts.scheme?.lowercased() == "https", parts.host?.isEmpty == false
            else {
                throw ValueFault(
                    "is not an https URL; write the offer's link, such as https://apps.apple.com/win-back/…"
                )
            }
            return text
        }
    }

    static var messageId: ValueKind {
        ValueKind(name: "message identifier") { text throws(ValueFault) in
            guard AppAccountToken(text) != nil else {
                throw ValueFault(
                    "is not a message identifier, which is the UUID under which the message was sent to Apple"
                )
            }
            return text
        }
    }

    static var clientName: ValueKind {
        ValueKind(name: "name") { text throws(ValueFault) in
            guard !SecretText.isLikely(text) else {
                throw ValueFault("looks like a token, and names appear in logs; give the client another name")
            }
            let reserved = [
                LedgerEntry.retention: "ledger's name for Apple's calls for retention messages",
                LedgerEntry.commandLine: "ledger's name for what an operator signs",
                "none": "metrics' name for requests without a client's token",
            ]
            if let use = reserved[text] { throw ValueFault("is the \(use); give the client another name") }
            return try Identifier.parse(text)
        }
    }

    /// 64 hexadecimal digits, also with colons between them, as openssl prints them.
    static var sha256: ValueKind {
        ValueKind(name: "SHA-256") { text throws(ValueFault) in
            let digits = text.filter { $0 != ":" }.lowercased()
            guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else {
                throw ValueFault("is no SHA-256; write its 64 hexadecimal digits")
            }
            return digits
        }
    }

    static var moduleParameters: ValueKind {
        ValueKind(name: "text for C_Initialize") { text throws(ValueFault) in
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw ValueFault("is empty; leave it out, or write the text")
            }
            return text
        }
    }
}

extension ValueKind<[UInt8]> {
    /// 64 hexadecimal digits.
    ///
    /// A fault does not repeat the text, which may be the token itself.
    static var tokenDigest: ValueKind {
        ValueKind(name: "SHA-256 of a token", article: "the", isShown: false) { text throws(ValueFault) in
            guard let bytes = Hexadecimal.bytes(text), bytes.count == 32 else {
                throw ValueFault(
                    "has \(text.count) characters, and is not the SHA-256 of a token, which has 64 hexadecimal digits; "
                        + "`offer-signer clients token` makes a token and prints its tokenSHA256"
                )
            }
            return bytes
        }
    }
}

extension ValueKind<Timestamp> {
    static var time: ValueKind {
        ValueKind(name: "RFC 3339 time", article: "an") { text throws(ValueFault) in
            guard let time = Timestamp(writtenInRFC3339: text) else {
                throw ValueFault("is not an RFC 3339 time; write one such as 2026-01-01T00:00:00Z")
            }
            return time
        }
    }
}

extension ValueKind<SubscriptionPeriod> {
    /// One unit, such as `P1M`.
    static var period: ValueKind {
        ValueKind(name: "ISO 8601 duration", article: "an", text: { $0.iso8601 }) { text throws(ValueFault) in
            guard let period = SubscriptionPeriod(iso8601: text) else {
                throw ValueFault("is not an ISO 8601 duration of one unit; write one such as P1W, P1M, P6M or P1Y")
            }
            return period
        }
    }
}

extension ValueKind<CustomerSeparator> {
    /// It is not repeated in a fault.
    static var separator: ValueKind {
        ValueKind(name: "separator", text: { ConfigurationInUse.list([$0.text]) }) { text throws(ValueFault) in
            guard let separator = CustomerSeparator(text) else {
                throw ValueFault(
                    "has \(text.utf8.count) bytes; write 1 to \(CustomerSeparator.byteCounts.upperBound), the text that ends "
                        + "the customer's part of a name, such as \"-\""
                )
            }
            return separator
        }
    }
}
