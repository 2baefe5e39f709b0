import Offers

/// Finds the signature in the ledger that made a redemption possible: the newest before the purchase, of the same app,
/// product and offer, that was signed for the same account or decided by the same subscription.
///
/// If there is none, the first within `ClockSkew` after the purchase counts: the clock may be ahead of Apple's.
///
/// The redemptions of a subscription are matched anew, the oldest first, whenever one is learnt: so the outcome does not
/// depend on the order in which they became known.
struct RedemptionMatch {
    /// A span of time in which a signature is looked for, its start left out.
    struct Span: Sendable {
        let which: RedemptionSQL.Signature
        let start: Int64
        let end: Int64
    }

    struct Signature: Equatable, Sendable {
        let writer: String
        let number: Int64
        let time: Int64
    }

    /// A question for the newest signature; ``originalTransactionId`` is `nil` where the customer says enough.
    struct Question: Equatable, Sendable {
        let customer: [UInt8]
        let originalTransactionId: String?
    }

    /// How many questions the ledger is asked about each redemption, at the most.
    static let mostQuestions = 16

    /// Questions to the ledger; the newest of the answers counts.
    private(set) var questions: [Question]

    /// Prepares to match the redemptions of a subscription, of which the ledger noted customers who presented evidence of it.
    init(_ held: Chapter, presentedFor presented: [AccountDigest], digestKey: DigestKey) {
        let ids = held.identities.map(\.originalTransactionId)
        let nobody = ids.map { id in
            let digest = digestKey.digest(customer: nil, originalTransactionId: id, bundleId: held.identity.bundleId)
            return Question(customer: digest, originalTransactionId: id)
        }
        // A customer has many accounts: which of them it was, the subscription says.
        let others = Self.sorted(Set(presented)).flatMap { customer in
            ids.map { Question(customer: customer.bytes, originalTransactionId: $0) }
        }
        questions =
            nobody + Self.sorted(held.accounts.keys).map { Question(customer: $0.bytes, originalTransactionId: nil) }
            + others
    }

    /// Sorts the digests, so that if there are too many, the same ones are always asked.
    private static func sorted(_ digests: some Sequence<AccountDigest>) -> [AccountDigest] {
        digests.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Leaves out questions about customers who never got a signature (`false`), and those beyond ``mostQuestions``.
    ///
    /// Evidence may name accounts as it likes, and each question is asked twice for each redemption.
    mutating func filterQuestions(by signed: [Bool]) {
        questions = Array(zip(questions, signed).filter(\.1).map(\.0).prefix(Self.mostQuestions))
    }

    /// The spans to search for the signature behind a redemption: the first span that has any counts.
    ///
    /// There are none where nobody knows when it was bought.
    static func spans(of redemption: OfferRedemption) -> [Span] {
        guard let date = redemption.redeemedAt else { return [] }
        let time = date.millisecondsSince1970
        let end = date.adding(seconds: ClockSkew.toleratedSeconds).millisecondsSince1970
        return [Span(which: .newest, start: .min, end: time), Span(which: .oldest, start: time, end: end)]
    }

    /// The newest, or the oldest, of some signatures.
    static func pick(_ which: RedemptionSQL.Signature, of found: [Signature]) -> Signature? {
        func isEarlier(_ left: Signature, _ right: Signature) -> Bool {
            (left.time, left.writer, left.number) < (right.time, right.writer, right.number)
        }
        return which == .newest ? found.max(by: isEarlier) : found.min(by: isEarlier)
    }

    /// Whether redemptions have to be written, and matched, anew: there are other ones than before, or other accounts that may
    /// have got the signatures.
    static func isDue(_ held: Chapter, since before: Chapter?) -> Bool {
        let redemptions = held.redemptions
        guard redemptions == before?.redemptions ?? [] else { return true }
        return !redemptions.isEmpty
            && (Set(held.accounts.keys) != Set((before?.accounts ?? [:]).keys) || held.linked != before?.linked)
    }
}
