import Offers

/// The app and environment that a receipt names: enough to refuse it without asking Apple.
///
/// Its signature is not checked, as it is never taken for more by what is found here.
struct ReceiptOrigin {
    let bundleId: String?
    /// Whether StoreKit Testing in Xcode made it.
    let isFromXcode: Bool

    init?(_ receipt: String) {
        guard let bytes = Base64.decode(receipt), bytes.count <= ReceiptTransaction.maximumBytes else { return nil }
        if bytes.first == 0x30 {
            guard let receipt = try? AppReceipt(ber: bytes) else { return nil }
            (bundleId, isFromXcode) = (receipt.bundleId, receipt.isFromXcode)
        } else {
            guard let receipt = OldReceipt(bytes) else { return nil }
            (bundleId, isFromXcode) = (receipt.bundleId, false)
        }
    }

    /// Refuses a receipt that Apple could say nothing of for an app: another app's, or Xcode's.
    ///
    /// One that cannot be taken apart is left to Apple.
    static func check(_ receipt: String, for app: String) throws(EvidenceFault) {
        guard let origin = ReceiptOrigin(receipt) else { return }
        if origin.isFromXcode {
            throw EvidenceFault(
                .rejected,
                code: "receipt_of_xcode",
                detail: "This is a receipt of StoreKit Testing in Xcode, which the App Store does not know: buy in the "
                    + "Sandbox. Xcode's signed transactions count only for a service that has Xcode among the app's "
                    + "environments in the catalog, and Xcode's certificate in appStore.additionalRoots."
            )
        }
        // Without regard to case: what is certain is refused, the rest is for Apple to say.
        guard let bundleId = origin.bundleId, bundleId.lowercased() != app.lowercased() else { return }
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
