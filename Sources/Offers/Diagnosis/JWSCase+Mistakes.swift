extension JWSCase {
    /// The mistakes that can be seen in the JWS, one for each place: to recognise another one, add a row.
    var mistakes: [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        let malformed = jws.malformed + wrongTypes
        causes.add(.jwsMalformed, malformed.isEmpty ? nil : malformed.joined(separator: " "))
        let marks = jws.notBase64URL
        let around = "The JWS \(marks.enumeration); its parts are in base64url without padding."
        causes.add(.jwsNotBase64URL, marks.isEmpty ? nil : around)
        causes.add(.jwsHeader, wrongHeader)
        if case .der(let bytes) = jws.signature {
            let detail = "The signature is DER, \(bytes.count) bytes; a JWS has the raw r and s, 64 bytes."
            causes.add(.jwsSignatureDER, detail)
        }
        causes.add(
            .signatureHex,
            jws.signatureMistakes.contains(.signatureHex) ? "The third part is the signature in hexadecimal." : nil,
            fix: "Encode the 64 bytes of r and s in base64url, not their hexadecimal text."
        )
        causes.add(.wrongKey, wrongKey)
        causes.add(
            .wrongHash,
            isES256 ? signer?.wrongHash(of: "JWS") : nil,
            fix: "Sign with ES256: ECDSA over the SHA-256 of header and claims, hashed once."
        )
        if record != nil, signer != nil, !isOnRecord { causes.append(.nonceReused) }
        if let claims = jws.claims { causes += mistakes(in: claims) }
        return causes
    }

    private func mistakes(in claims: [String: JWSValue]) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        causes.add(.jwsExpires, claims["exp"].map { "The JWS has the claim exp, \($0.phrase)." })
        let milliseconds = jws.isInMilliseconds ? jws.issuedAt : nil
        let unit = milliseconds.map { "The claim iat is in milliseconds, \($0); it is in seconds." }
        causes.add(.timestampInMilliseconds, unit)
        let audience = "The claim aud is \(claims["aud"].phrase), not \(report.audience)."
        causes.add(.wrongAudience, isForItsUse ? nil : audience)
        causes.add(.issuerMismatch, wrongIssuer(claims["iss"]))
        causes.add(.bundleMismatch, mismatch("bid", report.bundleId))
        let product = mismatch("productId", report.productId)
        causes.add(.productMismatch, product, fix: "Sign the product that the purchase is of.")
        causes.add(
            .offerMismatch,
            mismatch("offerIdentifier", report.offerId),
            wrongAllowance,
            fix: "Sign what the purchase is to get, and give StoreKit the same offer."
        )
        causes.add(.transactionMismatch, othersTransaction)
        if let nonce = jws.text("nonce"), !String.placeholders.contains(nonce) {
            if let uuid = AppAccountToken(nonce) {
                let isLowercase = uuid.lowercased == nonce
                causes.add(.nonceUppercase, isLowercase ? nil : "The claim nonce is in upper case, \(nonce).")
            } else {
                let detail = "The claim nonce is no UUID of 8-4-4-4-12 hexadecimal digits."
                let fix = "Make a new random UUID for every signature, and sign its text in lowercase."
                causes.add(.unexplained, detail, fix: fix)
            }
        }
        let missing = requiredClaims.filter { claims[$0] == nil }.map { "The claim \($0) is missing." }
        let placeholders = (Self.texts + ["allowIntroductoryOffer", "iat"]).compactMap { name in
            claims[name].flatMap { $0.isPlaceholder ? "The claim \(name) is \($0.phrase)." : nil }
        }
        for detail in missing + placeholders {
            let fix = "Read the value before signing, and refuse a request that lacks it."
            causes.add(.fieldUndefined, detail, fix: fix)
        }
        return causes
    }

    private var wrongHeader: String? {
        guard let header = jws.header else { return nil }
        var wrong: [String] = []
        if header["alg"] != .text("ES256") { wrong.append("alg is \(header["alg"].phrase), not ES256") }
        let kid = header["kid"]
        if kid?.asText == nil || kid?.isPlaceholder == true { wrong.append("kid is \(kid.phrase)") }
        if header["typ"] != .text("JWT") { wrong.append("typ is \(header["typ"].phrase), not JWT") }
        return wrong.isEmpty ? nil : "The header is not Apple's: \(wrong.enumeration)."
    }

    private var wrongKey: String? {
        guard let signer, let named = jws.keyIdentifier, !String.placeholders.contains(named),
            !signer.keyIdentifier.hasSameBytes(as: named)
        else { return nil }
        return "The signature is by the key \(signer.keyIdentifier), not by \(named), which kid names."
    }

    private func wrongIssuer(_ claim: JWSValue?) -> String? {
        guard let value = claim, !value.isPlaceholder else {
            return "The claim iss is \(claim.phrase); it is the issuer id of the key."
        }
        guard issuerId == nil, AppAccountToken(value.asText ?? "") == nil else { return mismatch("iss", issuerId) }
        return "The claim iss is \(value.phrase), which is no UUID; it is the issuer id of the key."
    }

    /// The intended word on the introductory offer is `true` also if the purchase came to none.
    private var wrongAllowance: String? {
        let boughtWithout = purchase.map { $0.offer == nil } == true
        guard report.offerId == nil, case .flag(let flag) = jws.claims?["allowIntroductoryOffer"],
            let expected = report.allowIntroductoryOffer ?? (boughtWithout ? true : nil), flag != expected
        else { return nil }
        return "The claim allowIntroductoryOffer is \(flag), not \(expected)."
    }

    /// A sentence where nothing shows the transaction to be the customer's, though one of theirs is known.
    private var othersTransaction: String? {
        let named = (purchase?.customerIds ?? []).union([report.transactionId].compactMap(\.self))
        let known = named.union(customerIds)
        guard !named.isEmpty, let id = jws.text("transactionId"), !String.placeholders.contains(id), !known.contains(id)
        else { return nil }
        if isOnRecord, let record {
            // The service took it from the evidence of the customer that it signed for.
            if let id = record.originalTransactionId, known.contains(id) { return nil }
            if report.account != .none, record.account == .known(report.account) { return nil }
        }
        let own = report.transactionId.map { [$0] } ?? named.sorted()
        return "The claim transactionId is \(id), and nothing shows it to be the customer's, whose transactions are "
            + "\(own.enumeration)."
    }

    /// A sentence where a claim is another one than expected; none where it is missing or a placeholder.
    private func mismatch(_ claim: String, _ expected: String?) -> String? {
        guard let expected, let value = jws.claims?[claim], !value.isPlaceholder else { return nil }
        // A claim of another type is named as such.
        if value.asText == nil, Self.texts.contains(claim) { return nil }
        if value.asText?.hasSameBytes(as: expected) == true { return nil }
        return "The claim \(claim) is \(value.phrase), not \(expected)."
    }

    /// A sentence for each claim of a wrong type.
    private var wrongTypes: [String] {
        func wrong(_ claim: String, _ what: String, _ isRight: (JWSValue) -> Bool) -> String? {
            guard let value = jws.claims?[claim], !value.isPlaceholder, !isRight(value) else { return nil }
            return "The claim \(claim), \(value.phrase), \(what)."
        }
        let texts = Self.texts.map { claim in
            wrong(claim, "is no text") { if case .text = $0 { true } else { false } }
        }
        let others = [
            wrong("iat", "is no number of seconds") { if case .text = $0 { false } else { $0.asInteger != nil } },
            wrong("allowIntroductoryOffer", "is neither true nor false") { if case .flag = $0 { true } else { false } },
        ]
        return (texts + others).compactMap(\.self)
    }

    private var requiredClaims: [String] {
        let own = report.offerId == nil ? ["allowIntroductoryOffer", "transactionId"] : ["offerIdentifier"]
        return ["bid", "productId"] + own + ["nonce", "iat"]
    }

    /// The claims whose values are texts.
    private static let texts = ["bid", "productId", "offerIdentifier", "transactionId", "nonce"]
}
