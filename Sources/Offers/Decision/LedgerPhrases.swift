/// What the rules about the ledger saw, in words that a support person can read aloud.
enum LedgerPhrases {
    static func presentations(_ presentations: LedgerStanding.Presentations, maximum: Int) -> String {
        let days = EvidenceSharing.periodDays
        if presentations.isKnown { return "The evidence was presented for this customer before." }
        switch presentations.others {
        case 0: return "The evidence was presented for no other account within \(days) days; \(maximum) may use it."
        case 1: return "The evidence was presented for another account within \(days) days; \(maximum) may use it."
        case let count:
            return "The evidence was presented for \(count) other accounts within \(days) days; \(maximum) may use it."
        }
    }

    static func signatures(_ count: Int?, limit: SignatureLimit, forms: Int = 1) -> String {
        let days = limit.periodDays == 1 ? "a day" : "\(limit.periodDays) days"
        var allowed = "\(limit.maximumSignaturesPerCustomer) within \(days)"
        if forms > 1 { allowed += ", and \(forms) forms of it were asked for, each of which counts" }
        switch count {
        case nil: return "How often the offer was signed for the customer is counted when it is signed; \(allowed)."
        case 0?: return "The offer was not signed for the customer yet; the limit is \(allowed)."
        case 1?: return "The offer was signed for the customer once; the limit is \(allowed)."
        case let count?: return "The offer was signed for the customer \(count) times; the limit is \(allowed)."
        }
    }
}
