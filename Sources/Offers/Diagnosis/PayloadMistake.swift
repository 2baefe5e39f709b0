/// A mistake in one field of a discount's payload: a row of ``table``.
///
/// With the payload at hand a row says whether it is the mistake; without it, which texts the mistake makes of the field.
struct PayloadMistake: Sendable {
    let code: DiagnosisCode
    let fields: Set<PayloadField>
    /// `nil` where it is another mistake; the first row that says so counts.
    let detail: @Sendable (Difference) -> String?
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

        var phrase: String { isPlaceholder ? (signed.isEmpty ? "empty" : "the word \(signed)") : signed.visible }
        var isPlaceholder: Bool { String.placeholders.contains(signed) }
    }

    /// To recognise another mistake, add a row.
    static let table: [PayloadMistake] = [
        PayloadMistake(
            code: .nonceUppercase,
            fields: [.nonce],
            detail: { $0.isOnlyOfCase ? "The payload has the nonce in upper case." : nil },
            texts: { search, _ in [search.report.nonce.uppercased(), search.report.nonce] }
        ),
        PayloadMistake(
            code: .keyIdMismatch,
            fields: [.keyIdentifier],
            detail: {
                let isAnothers = !$0.isPlaceholder && $0.isOfAnother
                return isAnothers ? "The payload carries the key id \($0.signed.visible), not \($0.due)." : nil
            },
            texts: { search, _ in search.keys.map(\.keyIdentifier) }
        ),
        PayloadMistake(
            code: .accountCase,
            fields: [.account],
            detail: { $0.isOnlyOfCase ? "The payload has the account in another case." : nil },
            texts: { search, _ in
                let text = search.report.account.payloadField
                guard case .applicationUsername = search.report.account else { return [text.uppercased()] }
                return [text.uppercased(), text.lowercased()] + text.caseVariants(ofAtMost: 6)
            }
        ),
        PayloadMistake(
            code: .accountMissing,
            fields: [.account],
            detail: {
                let isMissing = !$0.due.isEmpty && $0.isPlaceholder
                return isMissing ? "The payment has an account, and the payload's account is \($0.phrase)." : nil
            },
            texts: { search, _ in search.report.account == .none ? [] : String.likelyPlaceholders }
        ),
        PayloadMistake(
            code: .accountUnexpected,
            fields: [.account],
            detail: {
                guard $0.due.isEmpty || $0.isOfAnother else { return nil }
                let payment = $0.due.isEmpty ? "no account" : "another account"
                return "The payment has \(payment), and the payload's account is \($0.phrase)."
            },
            texts: { search, _ in
                search.report.account == .none ? String.likelyPlaceholders + ["(null)", "0", "\"\""] : []
            }
        ),
        PayloadMistake(
            code: .fieldUndefined,
            fields: Set(PayloadField.allCases).subtracting([.account]),
            detail: {
                let due = $0.due.isEmpty ? "empty" : $0.due
                return $0.isPlaceholder ? "The payload's \($0.field) is \($0.phrase), not \(due)." : nil
            },
            texts: { _, _ in String.likelyPlaceholders }
        ),
        PayloadMistake(
            code: .productMismatch,
            fields: [.productId],
            detail: {
                $0.isOfAnother ? "The payload is for the product \($0.signed.visible), not for \($0.due)." : nil
            },
            texts: { search, _ in search.productIds }
        ),
        PayloadMistake(
            code: .offerMismatch,
            fields: [.offerId],
            detail: { $0.isOfAnother ? "The payload is for the offer \($0.signed.visible), not for \($0.due)." : nil },
            texts: { search, _ in search.offerIds }
        ),
        PayloadMistake(
            code: .bundleMismatch,
            fields: [.bundleId],
            detail: { $0.isOfAnother ? "The payload has the bundle id \($0.signed.visible), not \($0.due)." : nil },
            texts: { search, _ in
                let bundleId = search.report.bundleId
                return [bundleId.uppercased()] + bundleId.caseVariants(ofAtMost: 4) + search.others.map(\.app.bundleId)
            }
        ),
        PayloadMistake(
            code: .timestampInSeconds,
            fields: [.timestamp],
            detail: {
                guard let signed = Int64($0.signed), signed > 0 else { return nil }
                let (report, given) = ($0.report, $0.report.timestamp)
                let isUnit = report.isInSeconds ? signed / 1000 == given : SignatureReport.isInSeconds(signed)
                return isUnit ? DiagnosisCause.timestampInSeconds.detail : nil
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

extension String {
    /// The words that languages write where there is nothing.
    static let placeholders: Set<String> = ["undefined", "null", "None", "nil", "(null)", ""]

    /// Those that are signed the most, the likeliest first.
    fileprivate static let likelyPlaceholders = ["undefined", "", "null", "None", "nil", "(null)"]
}
