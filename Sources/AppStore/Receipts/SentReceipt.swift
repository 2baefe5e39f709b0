import Offers

/// A receipt that a client sent: the transaction, the app and the environment that it names.
///
/// Nothing else of it is believed, and its signature is not checked: what counts is what Apple answers.
struct SentReceipt {
    /// How many bytes a receipt may have to be taken apart.
    static let maximumBytes = 512 * 1024

    private let transactionId: String?
    private let bundleId: String?
    /// Whether StoreKit Testing in Xcode made it.
    private let isFromXcode: Bool

    init(_ base64: String) throws(EvidenceFault) {
        guard let bytes = Base64.decode(base64), bytes.count <= Self.maximumBytes else {
            throw Self.malformed("The receipt is no Base64 of at most \(Self.maximumBytes) bytes.")
        }
        if bytes.first == 0x30 {
            guard let receipt = try? AppReceipt(ber: bytes) else {
                throw Self.malformed("The receipt is no app receipt (PKCS #7).")
            }
            (transactionId, bundleId) = (receipt.transactionId, receipt.bundleId)
            isFromXcode = receipt.isFromXcode
        } else {
            guard let receipt = OldReceipt(bytes) else {
                throw Self.malformed("The receipt is neither an app receipt nor an iOS 6 style transaction receipt.")
            }
            (transactionId, bundleId) = (receipt.transactionId, receipt.bundleId)
            isFromXcode = false
        }
    }

    private static func malformed(_ detail: String) -> EvidenceFault {
        EvidenceFault(.rejected, code: "receipt_malformed", detail: detail)
    }

    /// The transaction to ask the App Store Server API about: digits, as it becomes a part of a path.
    func transactionToAskAbout() throws(EvidenceFault) -> String {
        guard let transactionId, (1...20).contains(transactionId.utf8.count),
            transactionId.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw EvidenceFault(
                .rejected,
                code: "receipt_without_transaction",
                detail: "The receipt has no transaction by which the App Store could be asked about the customer."
            )
        }
        return transactionId
    }

    /// Refuses a receipt that Apple could say nothing of for an app: another app's, or Xcode's.
    ///
    /// One that cannot be taken apart is left to Apple.
    static func check(_ receipt: String, for app: String) throws(EvidenceFault) {
        guard let receipt = try? SentReceipt(receipt) else { return }
        if receipt.isFromXcode {
            throw EvidenceFault(
                .rejected,
                code: "receipt_of_xcode",
                detail: "This is a receipt of StoreKit Testing in Xcode, which the App Store does not know: buy in the "
                    + "Sandbox. Xcode's signed transactions count only for a service that has Xcode among the app's "
                    + "environments in the catalog, and Xcode's certificate in appStore.additionalRoots."
            )
        }
        // Without regard to case: what is certain is refused, the rest is for Apple to say.
        guard let bundleId = receipt.bundleId, bundleId.lowercased() != app.lowercased() else { return }
        throw EvidenceFault(
            .rejected,
            code: "receipt_of_other_app",
            detail:
                "This is a receipt of \(shown(bundleId)), not of \(app): ask for that app, or send a receipt of this one."
        )
    }

    /// A bundle identifier from outside, as far as it is one.
    private static func shown(_ bundleId: String) -> String {
        let isIdentifier =
            bundleId.utf8.count <= 155
            && bundleId.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
        return isIdentifier ? bundleId : "another app"
    }
}

/// An iOS 6 style transaction receipt: a property list in NeXT's text form, with another one in Base64 inside.
struct OldReceipt {
    /// The transaction that it is about.
    let transactionId: String?
    /// The app's bundle identifier (`bid`); `nil` where it is not said.
    let bundleId: String?

    init?(_ bytes: [UInt8]) {
        guard let info = Self.value(of: "purchase-info", in: bytes[...]),
            let purchase = Base64.decode(String(decoding: info, as: UTF8.self))
        else { return nil }
        transactionId = Self.value(of: "transaction-id", in: purchase[...]).map { String(decoding: $0, as: UTF8.self) }
        bundleId = Self.value(of: "bid", in: purchase[...]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of an entry `"name" = "value";`.
    private static func value(of name: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        var rest = text
        // Names and values alike are quoted; a name is what an equals sign follows.
        while let start = rest.firstIndex(of: quote) {
            rest = rest[(start + 1)...]
            guard let end = rest.firstIndex(of: quote) else { return nil }
            let quoted = rest[..<end]
            rest = rest[(end + 1)...].drop(while: isWhiteSpace)
            guard quoted.elementsEqual(name.utf8), rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isWhiteSpace)
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst()
            guard let valueEnd = rest.firstIndex(of: quote) else { return nil }
            return rest[..<valueEnd]
        }
        return nil
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
