// The sentences of a diagnosis where no code of its own names the cause.

extension SignatureReport {
    /// What is left when no mistakes were found with which the signature is one of the app's keys.
    ///
    /// - Parameter isExhaustive: Whether all mistakes were tried that are looked for.
    /// - Returns: The cause.
    func unexplained(isExhaustive: Bool) -> DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: isExhaustive
                ? "The signature is by none of the app's keys, whatever one or two of the mistakes that are looked for "
                    + "would have made of these values."
                : "The signature is by none of the app's keys for anything that was tried: single mistakes, and the "
                    + "likeliest of two at once. There are too many pairs to try them all.",
            fix: "Check that the values are those of one buy request, that the catalog lists the key that signed, "
                + "and that its P8 file is whole."
        )
    }

    /// What is left when all values are those on record, and the signature is not theirs.
    var otherSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: "All values are those that the service signed with this nonce, and this is not the signature that "
                + "it gave for them.",
            fix: "Hand on the signature of the decision that the nonce is from, as it is: each decision of an answer "
                + "has its own."
        )
    }

    /// What is left when the text of the signature is none.
    var noSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: signature.isEmpty
                ? "The signature is empty."
                : "The signature is no signature: neither ASN.1 DER nor 64 bytes, however it is decoded.",
            fix: "Hand on the signature whole, in standard Base64."
        )
    }

    /// What is wrong beyond doubt, and has no name of its own.
    ///
    /// - Parameter text: The signature's text, decoded.
    /// - Returns: The causes.
    func unnamed(in text: SignatureText) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        if text.hasStrayCharacters {
            causes.append(
                DiagnosisCause(
                    .unexplained,
                    detail: "The signature's text has line breaks, blanks or quotes that are no part of Base64.",
                    fix: "Hand on the Base64 in one line, with nothing before it and nothing after it."
                )
            )
        }
        if AppAccountToken(nonce) == nil {
            causes.append(
                DiagnosisCause(
                    .unexplained,
                    detail: "The nonce is no UUID of 8-4-4-4-12 hexadecimal digits, and StoreKit takes nothing else.",
                    fix: "Make a new random UUID for every signature, sign its text in lowercase, and hand that on."
                )
            )
        }
        return causes
    }

    /// What a person should check, likeliest first, when the signature is right for what StoreKit was given.
    func unexplainedThoughRight() -> DiagnosisCause {
        let (detail, fix) =
            switch storeKitError {
            case _ where account.payloadField.utf8.count > Account.maximumUsernameBytes:
                (
                    "The signature is right for these values; the applicationUsername has "
                        + "\(account.payloadField.utf8.count) bytes, which may be too many for StoreKit.",
                    "Use at most \(Account.maximumUsernameBytes) bytes, such as a UUID, and ask for a new signature."
                )
            case 11, 14:
                (
                    "The signature is right; StoreKit does not know the offer, or its price is no longer valid.",
                    "Check in App Store Connect that the offer is set up on this product and was not removed or changed."
                )
            case 13:
                (
                    "The signature is right; StoreKit missed one of the five values.",
                    "Check that the app sets all five on the payment, and the signature as Data in StoreKit 2."
                )
            case 0:
                (
                    "The signature is right; StoreKit may have redeemed the offer and said otherwise.",
                    "Look for promotional_offer_id in a fresh receipt."
                )
            default:
                (
                    "The signature is right for these values.",
                    "Check that the customer's Apple Account had a subscription of the app, that the payment carries this "
                        + "very account, and that the signature was not used before."
                )
            }
        return DiagnosisCause(.unexplained, detail: detail, fix: fix)
    }
}
