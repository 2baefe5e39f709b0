// The sentences of a diagnosis: one of cause, one of fix.

extension SignatureReport {
    /// A cause in words.
    ///
    /// - Parameters:
    ///   - code: The cause's name.
    ///   - offer: The offer that the catalog is looked up for.
    ///   - group: The group that the customer never subscribed to; `nil` when it is the app.
    ///   - signed: What was signed, as far as it was found; `nil` where it was not.
    ///   - now: The server's clock.
    /// - Returns: The cause.
    func cause(
        _ code: DiagnosisCode,
        unknown offer: OfferRequest,
        neverOf group: SubscriptionGroup?,
        signed: PayloadGuess?,
        at now: Timestamp
    ) -> DiagnosisCause {
        let (detail, fix) = sentences(of: code, unknown: offer, neverOf: group, signed, at: now)
        return DiagnosisCause(code, detail: detail, fix: fix)
    }

    private func sentences(
        of code: DiagnosisCode,
        unknown offer: OfferRequest,
        neverOf group: SubscriptionGroup?,
        _ signed: PayloadGuess?,
        at now: Timestamp
    ) -> (detail: String, fix: String) {
        switch code {
        case .nonceUppercase:
            (
                "The payload has the nonce in upper case.",
                "Lowercase the UUID's text before signing; Swift's uuidString is in upper case."
            )
        case .timestampInSeconds:
            (
                "The timestamp is in seconds.",
                "Sign and hand on milliseconds since 1970, the same number in both places."
            )
        case .accountCase:
            (
                "The payload has the account in another case.",
                "Sign an appAccountToken in lowercase, and an applicationUsername exactly as the app sets it."
            )
        case .accountMissing:
            (
                "The payment has an account, and the payload has none, or a word in its place.",
                "Sign the account that the app sets on the payment, or set none."
            )
        case .accountUnexpected:
            (
                "The payment has no account, and the payload has a word in its place.",
                "Leave the field empty between its two separators, or set the account on the payment."
            )
        case .signatureRawNotDER:
            (
                "The signature is the raw r and s, 64 bytes.",
                "Encode the signature as ASN.1 DER; only the JWS format takes it raw."
            )
        case .signatureDoubleEncoded:
            ("The signature was Base64-encoded twice.", "Encode the DER once; some libraries return Base64 already.")
        case .signatureURLEncoded:
            (
                "The signature is URL-encoded, in the URL alphabet of Base64, or without its padding.",
                "Hand on standard Base64 with its padding, in a JSON string."
            )
        case .wrongSeparator where signed?.ending.isEmpty == false:
            (
                "The payload has a separator after its last field.",
                "Put U+2063 between the seven fields, six times, and nothing after the timestamp."
            )
        case .wrongSeparator:
            (
                "The payload's fields are not joined by U+2063.",
                "Join the seven fields with the character U+2063 INVISIBLE SEPARATOR, in UTF-8 E2 81 A3."
            )
        case .wrongFieldOrder:
            (
                "The payload's fields are in another order, or one is left out, empty, or a word such as undefined.",
                "Join bundle id, key id, product id, offer id, account, nonce and timestamp, in this order, an empty account included."
            )
        case .wrongKey:
            (
                "The signature is by \(signed?.key.map { "the key \($0.keyIdentifier)" } ?? "another key of the app"), "
                    + "not by \(keyIdentifier).",
                keyFix(signed)
            )
        case .keyIdMismatch:
            (
                "The payload carries the key id \(signed?[.keyIdentifier] ?? "of another key"), not \(keyIdentifier).",
                keyFix(signed)
            )
        case .productMismatch:
            (
                "The payload is for \(signed.map { "the product \($0[.productId])" } ?? "another product"), "
                    + "not for \(productId).",
                "Sign the product that the payment buys."
            )
        case .offerMismatch:
            (
                "The payload is for \(signed.map { "the offer \($0[.offerId])" } ?? "another offer"), not for \(offerId).",
                "Sign the offer whose identifier StoreKit is given."
            )
        case .bundleMismatch:
            (
                "The payload has the bundle id \(signed?[.bundleId] ?? "of another app"), not \(bundleId).",
                "Sign the bundle id of the app that buys, in its exact case, with a key of that app."
            )
        case .timestampExpired:
            (
                "The timestamp is older than 24 hours.",
                "Ask for a signature when the customer is about to buy, and use it once."
            )
        case .timestampInFuture:
            (
                "The signature is dated ahead of the clock, which reads \(now.rfc3339).",
                "Set the clock of the machine that signs, and count in milliseconds."
            )
        case .offerNotInCatalog:
            (
                "The catalog has no offer \(offer.offerId) on \(offer.productId).",
                "Compare both with App Store Connect, and add the offer to the catalog."
            )
        case .neverSubscribed:
            (
                "The customer never had a subscription of \(group.map { "group \($0.id)" } ?? "the app").",
                "Offer the introductory price instead."
            )
        case .unexplained:
            ("Nothing that can be computed explains the refusal.", "Check what cannot be computed.")
        }
    }

    /// The fix of a key or its identifier: one for both, if both are wrong.
    private func keyFix(_ signed: PayloadGuess?) -> String {
        guard let signed else { return "Sign with the key whose identifier StoreKit is given." }
        guard let signer = signed.key?.keyIdentifier else {
            return "Put the key id that StoreKit is given, \(keyIdentifier), into the payload."
        }
        if signed[.keyIdentifier] == signer {
            return "Give StoreKit \(signer), the key that signed and whose identifier is in the payload."
        }
        return "Put the identifier of the key that signs, \(signer), into the payload and give it to StoreKit, or sign "
            + "with the key that StoreKit is given."
    }
}

// The sentences of a diagnosis where no code of its own names the cause.

extension SignatureReport {
    /// The cause when no mistakes were found with which the signature is one of the app's keys.
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

    /// The cause when all values are those on record, and the signature is not theirs.
    var otherSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: "All values are those that the service signed with this nonce, and this is not the signature that "
                + "it gave for them.",
            fix: "Hand on the signature of the decision that the nonce is from, as it is: each decision of an answer "
                + "has its own."
        )
    }

    /// The cause when the text of the signature is none.
    var noSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: signature.isEmpty
                ? "The signature is empty."
                : "The signature is no signature: neither ASN.1 DER nor 64 bytes, however it is decoded.",
            fix: "Hand on the signature whole, in standard Base64."
        )
    }

    /// The faults that are certain, and have no name of their own.
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

    /// The list of things to check, likeliest first, when the signature is right for what StoreKit was given.
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
