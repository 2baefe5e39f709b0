/// A mistake that can be seen in a JWS: a row of ``table``.
struct ClaimMistake: Sendable {
    let code: DiagnosisCode
    let fix: String
    /// One for each place that has the mistake, with the value there and the one that is due.
    let sentences: @Sendable (JWSCase) -> [String]

    /// To recognise another mistake, add a row.
    static let table: [ClaimMistake] = [
        ClaimMistake(
            code: .jwsMalformed,
            fix: "Hand on the JWS as it was signed: header, claims and signature in base64url, with dots between them."
        ) { found in
            let all = found.jws.malformed + found.wrongTypes
            return all.isEmpty ? [] : [all.joined(separator: " ")]
        },
        ClaimMistake(
            code: .jwsNotBase64URL,
            fix: "Encode each part in base64url without padding (RFC 7515), and hand the JWS on with nothing around it."
        ) { found in
            let all = found.jws.notBase64URL
            return all.isEmpty ? [] : ["The JWS \(all.enumeration); its parts are in base64url without padding."]
        },
        ClaimMistake(
            code: .jwsHeader,
            fix: #"Write the header {"alg":"ES256","kid":KEY_ID,"typ":"JWT"}, with the id of the key that signs."#
        ) { found in
            guard let header = found.jws.header else { return [] }
            var wrong: [String] = []
            if header["alg"] != .text("ES256") {
                wrong.append("alg is \(header["alg"]?.phrase ?? "missing"), not ES256")
            }
            let keyIdentifier = header["kid"]
            if keyIdentifier?.asText == nil || keyIdentifier?.isPlaceholder == true {
                wrong.append("kid is \(keyIdentifier?.phrase ?? "missing")")
            }
            if header["typ"] != .text("JWT") { wrong.append("typ is \(header["typ"]?.phrase ?? "missing"), not JWT") }
            return wrong.isEmpty ? [] : ["The header is not Apple's: \(wrong.enumeration)."]
        },
        ClaimMistake(
            code: .jwsSignatureDER,
            fix: "Write r and s as 32 bytes each, one after the other; a library for JWT does that by itself."
        ) { found in
            guard case .der(let bytes) = found.jws.signature else { return [] }
            return ["The signature is DER, \(bytes.count) bytes; a JWS has the raw r and s, 64 bytes."]
        },
        ClaimMistake(
            code: .signatureHex,
            fix: "Encode the 64 bytes of r and s in base64url, not their hexadecimal text."
        ) { found in
            found.jws.signatureMistakes.contains(.signatureHex)
                ? ["The third part is the signature in hexadecimal."] : []
        },
        ClaimMistake(
            code: .jwsExpires,
            fix: "Leave the claim out: the request fails with it, and Apple ends it by its iat."
        ) { found in
            found.jws.claims?["exp"].map { ["The JWS has the claim exp, \($0.phrase)."] } ?? []
        },
        ClaimMistake(
            code: .timestampInMilliseconds,
            fix: "Write seconds since 1970 into iat; only the discount form has milliseconds."
        ) { found in
            guard found.jws.isInMilliseconds, let count = found.jws.issuedAt else { return [] }
            return ["The claim iat is in milliseconds, \(count); it is in seconds."]
        },
        ClaimMistake(
            code: .wrongAudience,
            fix: "Sign with the audience of the purchase option that the JWS is for: promotional-offer or "
                + "introductory-offer-eligibility."
        ) { found in
            guard let claims = found.jws.claims, !found.isForItsUse else { return [] }
            return ["The claim aud is \(claims["aud"]?.phrase ?? "missing"), not \(found.report.audience)."]
        },
        ClaimMistake(
            code: .issuerMismatch,
            fix: "Write the issuer id that App Store Connect shows above the list of In-App Purchase keys into iss."
        ) { found in
            guard let claims = found.jws.claims else { return [] }
            guard let value = claims["iss"], !value.isPlaceholder else {
                return ["The claim iss is \(claims["iss"]?.phrase ?? "missing"); it is the issuer id of the key."]
            }
            if found.issuerId == nil, AppAccountToken(value.asText ?? "") == nil {
                return ["The claim iss is \(value.phrase), which is no UUID; it is the issuer id of the key."]
            }
            return found.mismatch("iss", found.issuerId)
        },
        ClaimMistake(
            code: .bundleMismatch,
            fix: "Sign the bundle id of the app that buys, in its exact case, with a key of that app."
        ) { $0.mismatch("bid", $0.report.bundleId) },
        ClaimMistake(
            code: .nonceUppercase,
            fix: "Lowercase the UUID's text before signing; Swift's uuidString is in upper case."
        ) { found in
            guard let nonce = found.jws.text("nonce"), let uuid = AppAccountToken(nonce), uuid.lowercased != nonce
            else {
                return []
            }
            return ["The claim nonce is in upper case, \(nonce)."]
        },
        ClaimMistake(code: .productMismatch, fix: "Sign the product that the purchase is of.") {
            $0.mismatch("productId", $0.report.productId)
        },
        ClaimMistake(code: .offerMismatch, fix: "Sign what the purchase is to get, and give StoreKit the same offer.") {
            found in
            var wrong = found.mismatch("offerIdentifier", found.report.offerId)
            if let expected = found.expectedAllowance,
                case .flag(let flag) = found.jws.claims?["allowIntroductoryOffer"],
                flag != expected
            {
                wrong.append("The claim allowIntroductoryOffer is \(flag), not \(expected).")
            }
            return wrong
        },
        ClaimMistake(
            code: .transactionMismatch,
            fix: "Sign a transaction of the customer who buys, of this app and environment, or its appTransactionId."
        ) { found in
            guard found.isOfAnotherCustomer, let id = found.jws.text("transactionId") else { return [] }
            let known = found.report.transactionId.map { [$0] } ?? found.purchase?.customerIds.sorted() ?? []
            let own = known.isEmpty ? "" : ", whose transactions are \(known.enumeration)"
            return ["The claim transactionId is \(id), and nothing shows it to be the customer's\(own)."]
        },
        ClaimMistake(code: .fieldUndefined, fix: "Read the value before signing, and refuse a request that lacks it.") {
            found in
            guard let claims = found.jws.claims else { return [] }
            let missing = found.requiredClaims.filter { claims[$0] == nil }.map { "The claim \($0) is missing." }
            let names = JWSCase.texts + ["allowIntroductoryOffer", "iat"]
            return missing
                + names.compactMap { name in
                    guard let value = claims[name], value.isPlaceholder else { return nil }
                    return "The claim \(name) is \(value.phrase)."
                }
        },
        ClaimMistake(
            code: .wrongKey,
            fix: "Put the identifier of the key that signs into kid, or sign with the key that kid names."
        ) { found in
            guard let signer = found.signer, let named = found.jws.keyIdentifier, !String.placeholders.contains(named),
                !signer.keyIdentifier.hasSameBytes(as: named)
            else { return [] }
            return ["The signature is by the key \(signer.keyIdentifier), not by \(named), which kid names."]
        },
        ClaimMistake(
            code: .wrongHash,
            fix: "Sign with ES256: ECDSA over the SHA-256 of header and claims, hashed once."
        ) { found in
            guard let hash = found.signer?.hash, hash != .sha256, found.isES256 else { return [] }
            return ["The JWS was hashed with \(hash.rawValue), not with SHA-256 once."]
        },
        ClaimMistake(code: .nonceReused, fix: DiagnosisCause.nonceReused.fix) { found in
            let isReused = found.record != nil && found.signer != nil && !found.isOnRecord
            return isReused ? [DiagnosisCause.nonceReused.detail] : []
        },
        ClaimMistake(
            code: .unexplained,
            fix: "Make a new random UUID for every signature, and sign its text in lowercase."
        ) { found in
            guard let nonce = found.jws.text("nonce"), !String.placeholders.contains(nonce),
                AppAccountToken(nonce) == nil
            else { return [] }
            return ["The claim nonce is no UUID of 8-4-4-4-12 hexadecimal digits."]
        },
    ]
}
