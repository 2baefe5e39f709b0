/// A mistake in one field of a discount's payload: a row of ``table``.
///
/// With the payload at hand a row says whether it is the mistake; without it, which texts the mistake makes of the field.
struct PayloadMistake: Sendable {
    let code: DiagnosisCode
    let fields: Set<PayloadField>
    let detail: @Sendable (Difference) -> String
    let fix: String
    /// The first row that says so counts.
    let explains: @Sendable (Difference) -> Bool
    /// The likeliest first.
    let texts: @Sendable (PayloadSearch, PayloadField) -> [String]

    /// A field with another text than is due.
    struct Difference {
        let field: PayloadField
        let signed: String
        let due: String
        let report: SignatureReport

        var isOnlyOfCase: Bool { signed.lowercased().hasSameBytes(as: due.lowercased()) }

        /// By letters and digits, not only by marks and blanks.
        var isOfAnother: Bool {
            func visible(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
            return visible(signed) != visible(due)
        }

        var phrase: String { isPlaceholder ? signed.placeholderPhrase : signed.visible }
        var isPlaceholder: Bool { String.placeholders.contains(signed) }
    }

    /// To recognise another mistake, add a row.
    static let table: [PayloadMistake] = [
        PayloadMistake(
            code: .nonceUppercase,
            fields: [.nonce],
            detail: { _ in "The payload has the nonce in upper case." },
            fix: "Lowercase the UUID's text before signing; Swift's uuidString is in upper case.",
            explains: { $0.isOnlyOfCase },
            texts: { search, _ in [search.report.nonce.uppercased(), search.report.nonce] }
        ),
        PayloadMistake(
            code: .keyIdMismatch,
            fields: [.keyIdentifier],
            detail: { "The payload carries the key id \($0.signed.visible), not \($0.due)." },
            fix: "Put the key id that StoreKit is given into the payload.",
            explains: { !$0.isPlaceholder && $0.isOfAnother },
            texts: { search, _ in search.keys.map(\.keyIdentifier) }
        ),
        PayloadMistake(
            code: .accountCase,
            fields: [.account],
            detail: { _ in "The payload has the account in another case." },
            fix: "Sign an appAccountToken in lowercase, and an applicationUsername exactly as the app sets it.",
            explains: { $0.isOnlyOfCase },
            texts: { search, _ in
                let text = search.report.account.payloadField
                guard case .applicationUsername = search.report.account else { return [text.uppercased()] }
                return [text.uppercased(), text.lowercased()] + text.caseVariants(ofAtMost: 6)
            }
        ),
        PayloadMistake(
            code: .accountMissing,
            fields: [.account],
            detail: { "The payment has an account, and the payload's account is \($0.phrase)." },
            fix: "Sign the account that the app sets on the payment, or set none.",
            explains: { !$0.due.isEmpty && $0.isPlaceholder },
            texts: { search, _ in search.report.account == .none ? [] : String.likelyPlaceholders }
        ),
        PayloadMistake(
            code: .accountUnexpected,
            fields: [.account],
            detail: { difference in
                let payment = difference.due.isEmpty ? "no account" : "another account"
                return "The payment has \(payment), and the payload's account is \(difference.phrase)."
            },
            fix: "Sign the account of the payment; if it has none, leave the field empty between its separators.",
            explains: { $0.due.isEmpty || $0.isOfAnother },
            texts: { search, _ in
                search.report.account == .none ? String.likelyPlaceholders + ["(null)", "0", "\"\""] : []
            }
        ),
        PayloadMistake(
            code: .fieldUndefined,
            fields: Set(PayloadField.allCases).subtracting([.account]),
            detail: { difference in
                let due = difference.due.isEmpty ? "empty" : difference.due
                return "The payload's \(difference.field) is \(difference.phrase), not \(due)."
            },
            fix: "Read the field from the request before signing, and refuse a request that lacks it.",
            explains: { $0.isPlaceholder },
            texts: { _, _ in String.likelyPlaceholders }
        ),
        PayloadMistake(
            code: .productMismatch,
            fields: [.productId],
            detail: { "The payload is for the product \($0.signed.visible), not for \($0.due)." },
            fix: "Sign the product that the payment buys.",
            explains: { $0.isOfAnother },
            texts: { search, _ in search.productIds }
        ),
        PayloadMistake(
            code: .offerMismatch,
            fields: [.offerId],
            detail: { "The payload is for the offer \($0.signed.visible), not for \($0.due)." },
            fix: "Sign the offer whose identifier StoreKit is given.",
            explains: { $0.isOfAnother },
            texts: { search, _ in search.offerIds }
        ),
        PayloadMistake(
            code: .bundleMismatch,
            fields: [.bundleId],
            detail: { "The payload has the bundle id \($0.signed.visible), not \($0.due)." },
            fix: "Sign the bundle id of the app that buys, in its exact case, with a key of that app.",
            explains: { $0.isOfAnother },
            texts: { search, _ in
                let bundleId = search.report.bundleId
                return [bundleId.lowercased(), bundleId.uppercased()] + search.otherBundleIds
            }
        ),
        PayloadMistake(
            code: .timestampInSeconds,
            fields: [.timestamp],
            detail: { _ in DiagnosisCause.timestampInSeconds.detail },
            fix: DiagnosisCause.timestampInSeconds.fix,
            explains: { difference in
                guard let signed = Int64(difference.signed), signed > 0 else { return false }
                let given = difference.report.timestamp
                return difference.report.isInSeconds ? signed / 1000 == given : SignatureReport.isInSeconds(signed)
            },
            texts: { search, _ in
                let timestamp = search.report.timestamp
                guard search.report.isInSeconds else { return [String(timestamp / 1000)] }
                // The digits that were cut off are one of a thousand.
                return (0..<1000).map { String(timestamp &* 1000 &+ $0) }
            }
        ),
    ]
}

extension DiagnosisCause {
    static let timestampInSeconds = DiagnosisCause(
        .timestampInSeconds,
        detail: "The timestamp is in seconds.",
        fix: "Sign and hand on milliseconds since 1970, the same number in both places."
    )
}

extension String {
    /// The words that languages write where there is nothing.
    static let placeholders: Set<String> = ["undefined", "null", "None", "nil", "(null)", ""]

    /// Those that are signed the most, the likeliest first.
    fileprivate static let likelyPlaceholders = ["undefined", "", "null", "None", "nil"]

    var placeholderPhrase: String { isEmpty ? "empty" : "the word \(self)" }
}
