/// StoreKit's error, as an app reports it.
package enum ReportedError: Equatable, Sendable {
    /// `SKError.Code`.
    case number(Int64)
    /// A text with the name of a case of `Product.PurchaseError`, `StoreKitError` or `SKError.Code` in it, as wrappers print
    /// it; or an `SKError` as it is printed, such as `Error Domain=SKErrorDomain Code=12 "(null)"`.
    case text(String)

    /// A row of ``table``.
    struct Meaning: Sendable {
        /// `SKError.Code`.
        let number: Int64
        let names: Set<String>
        let rulesOut: String
        /// The checks that remain.
        let check: String
    }

    var meaning: Meaning? {
        switch self {
        case .number(let number): Self.table.first { $0.number == number }
        case .text(let text):
            // Of several the first that says most: a wrapper has "unknown error" beside the name.
            Self.table.first { $0.number != 0 && $0.isNamed(in: text) } ?? Self.table.first { $0.isNamed(in: text) }
        }
    }

    /// Whether a text is the title of the App Store's dialog, which is no error.
    var isDialogsTitle: Bool {
        guard case .text(let text) = self else { return false }
        return text.lowercased().contains("unable to purchase")
    }

    /// The number that a text is, or the first one after the domain of an `SKError`, in any language.
    fileprivate static func number(in text: String) -> Int64? {
        if let number = Int64(text.split(whereSeparator: \.isWhitespace).joined(separator: " ")) { return number }
        let text = text.lowercased()
        guard let domain = text.utf8.firstRange(of: "skerror".utf8) else { return nil }
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return Int64(String(text.utf8[domain.upperBound...].drop { !isDigit($0) }.prefix(while: isDigit)) ?? "")
    }

    private static let otherCause =
        "Do what the error says and buy again, with a new signature: a signature is for one purchase, even if it fails."

    /// The most telling first, after the one that says nothing.
    static let table: [Meaning] = [
        Meaning(
            number: 0,
            names: ["unknown"],
            rulesOut: "The error unknown rules out nothing: StoreKit may have redeemed the offer and said otherwise.",
            check: "Look for promotional_offer_id in a fresh receipt, or for the offer in the newest transaction."
        ),
        Meaning(
            number: 11,
            names: ["invalidOfferIdentifier"],
            rulesOut: "StoreKit does not know the offer: that rules out the account, the key and the time.",
            check:
                "Check in App Store Connect that the offer is set up on this product, for this billing plan, and was "
                + "not removed."
        ),
        Meaning(
            number: 12,
            names: ["invalidSignature", "invalidOfferSignature"],
            rulesOut: "StoreKit refused the signature, or its customer: that rules out the offer's set-up and price.",
            check:
                "Check that the customer's Apple Account had a subscription of the app, that the payment carries this "
                + "very account, that the signature was not used before, and whether the wrapper passed the text's bytes in "
                + "place of the decoded signature: StoreKit 2 takes the bytes that its Base64 encodes."
        ),
        Meaning(
            number: 13,
            names: ["missingOfferParams", "missingOfferParameters"],
            rulesOut: "StoreKit missed a value: that rules out that it looked at the signature.",
            check: "Check that the app sets all five values of a discount on the payment, the signature as Data in "
                + "StoreKit 2."
        ),
        Meaning(
            number: 14,
            names: ["invalidOfferPrice"],
            rulesOut: "The price of the offer is no longer valid: that rules out the signature and the customer.",
            check: "Check the offer's price in App Store Connect, in the customer's storefront and currency."
        ),
        Meaning(
            number: 18,
            names: ["ineligibleForOffer"],
            rulesOut: "StoreKit refused the customer: that rules out the signature, the offer's set-up and its price.",
            check: "Check that the customer's Apple Account had a subscription of the app, and that no other offer of "
                + "the group runs."
        ),
        Meaning(
            number: 5,
            names: ["storeProductNotAvailable", "productUnavailable", "notAvailableInStorefront"],
            rulesOut: "The product cannot be bought there: that rules out the offer and its signature.",
            check: "Check that the product is for sale in the customer's storefront."
        ),
        Meaning(
            number: 2,
            names: ["paymentCancelled", "userCancelled"],
            rulesOut: "The customer cancelled: that rules out the offer and its signature.",
            check: otherCause
        ),
        Meaning(
            number: 4,
            names: ["paymentNotAllowed", "purchaseNotAllowed", "notEntitled"],
            rulesOut: "The customer may not buy, or the app may not sell: that rules out the offer and its signature.",
            check: otherCause
        ),
        Meaning(
            number: 3,
            names: ["paymentInvalid", "invalidQuantity"],
            rulesOut: "The payment itself is wrong, such as its quantity: that rules out the offer and its signature.",
            check: otherCause
        ),
        Meaning(
            number: 7,
            names: ["cloudServiceNetworkConnectionFailed", "networkError", "systemError"],
            rulesOut: "The App Store was out of reach: that rules out that it looked at the offer or the signature.",
            check: otherCause
        ),
        Meaning(
            number: 19,
            names: ["unsupportedPlatform", "unsupported"],
            rulesOut: "The platform cannot do it: that rules out the offer and its signature.",
            check: "Check the version of the system, and which purchase options it has."
        ),
    ]
}

extension ReportedError.Meaning {
    /// Whether a text has one of the names as a word, also as Objective-C has it, or the number.
    ///
    /// Wrappers write `INVALID_OFFER_SIGNATURE` and `user-cancelled`, too. A name of one word counts in its own case alone.
    fileprivate func isNamed(in text: String) -> Bool {
        ReportedError.number(in: text) == number
            || text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }.contains { word in
                let letters = word.filter { $0 != "_" && $0 != "-" }.lowercased()
                let name = letters.hasPrefix("skerror") ? String(letters.dropFirst("skerror".count)) : letters
                return names.contains { known in
                    let isLong = known.contains(where: \.isUppercase) || name != letters
                    return known == word || isLong && known.lowercased() == name
                }
            }
    }
}

extension DiagnosisCause {
    /// The signature is right, and StoreKit has refused it.
    static func unexplained(by error: ReportedError, account: Account) -> DiagnosisCause {
        let bytes = account.payloadField.utf8.count
        let isRight = "The signature is right for these values"
        if bytes > Account.maximumUsernameBytes {
            return DiagnosisCause(
                .unexplained,
                "\(isRight); the applicationUsername has \(bytes) bytes, which may be too many for StoreKit.",
                fix: "Use at most \(Account.maximumUsernameBytes) bytes, such as a UUID, and ask for a new signature."
            )
        }
        let other = "StoreKit's error is none that says why."
        let check = error.meaning?.check ?? ReportedError.number(12).meaning?.check ?? other
        if error.meaning == nil, error.isDialogsTitle {
            return DiagnosisCause(
                .unexplained,
                "\(isRight). \"Unable to Purchase\" is the title of the App Store's dialog, and no error.",
                fix: "Report the error that the purchase ends with. \(check)"
            )
        }
        return DiagnosisCause(.unexplained, "\(isRight). \(error.meaning?.rulesOut ?? other)", fix: check)
    }
}
