import GRDB
import Offers

/// What a signature may depend on.
extension Database {
    /// What the ledger holds of a customer.
    func standing(of question: LedgerQuestion, _ digestKey: DigestKey) throws -> LedgerStanding {
        var standing = LedgerStanding()
        for (offer, limit, originalTransactionId) in question.offers {
            let customer = digestKey.digest(
                customer: question.customer,
                originalTransactionId: originalTransactionId,
                bundleId: question.bundleId
            )
            standing.signatures[offer] = try signatures(
                of: offer,
                customer,
                originalTransactionId.map(question.subscription),
                limit,
                at: question.now
            )
        }
        guard let text = question.customer else { return standing }
        let customer = digestKey.digest(customer: text, originalTransactionId: nil, bundleId: question.bundleId)
        for id in question.originalTransactionIds {
            standing.presentations[id] = try presentations(
                of: question.subscription(id),
                customer,
                at: question.now
            ).0
        }
        return standing
    }

    /// How many signatures of an offer a customer got within the limit's period: those in the ledger, and those that the
    /// subscription redeemed though they are not in it.
    func signatures(
        of offer: OfferRequest,
        _ customer: [UInt8],
        _ subscription: PresentedSubscription?,
        _ limit: SignatureLimit,
        at now: Timestamp
    ) throws -> Int {
        let start = limit.start(at: now).millisecondsSince1970
        let signed = try DirectStatement(LedgerSQL.signatureCount, in: self)
        try signed.bind(1, customer)
        try signed.bind(2, offer.productId)
        try signed.bind(3, offer.offerId)
        try signed.bind(4, start)
        let count = try signed.row { $0(0) } ?? 0
        guard let subscription else { return Int(count ?? 0) }
        let redeemed = try DirectStatement(RedemptionSQL.countUnsigned, in: self)
        try redeemed.bind(1, subscription)
        try redeemed.bind(4, offer.productId)
        try redeemed.bind(5, offer.offerId)
        try redeemed.bind(6, start)
        return Int((count ?? 0) + (try redeemed.row { $0(0) ?? 0 } ?? 0))
    }

    /// For whom a subscription was presented, seen from a customer, and when last for this one.
    func presentations(
        of subscription: PresentedSubscription,
        _ customer: [UInt8],
        at now: Timestamp
    ) throws -> (LedgerStanding.Presentations, lastSeen: Timestamp?) {
        let statement = try DirectStatement(LedgerSQL.presentations, in: self)
        try statement.bind(1, customer)
        try statement.bind(2, subscription)
        try statement.bind(5, EvidenceSharing.start(at: now).millisecondsSince1970)
        let row = try statement.row { (others: $0(0) ?? 0, lastSeen: $0(1)) }
        let lastSeen = row?.lastSeen.map { Timestamp(millisecondsSince1970: $0) }
        return (LedgerStanding.Presentations(others: Int(row?.others ?? 0), isKnown: lastSeen != nil), lastSeen)
    }

    /// Notes that a subscription was presented for a customer.
    func note(_ subscription: PresentedSubscription, for customer: [UInt8], at time: Timestamp) throws {
        let statement = try DirectStatement(LedgerSQL.insertPresentation, in: self)
        try statement.bind(1, subscription)
        try statement.bind(4, customer)
        try statement.bind(5, time.millisecondsSince1970)
        try statement.run()
    }
}

extension DirectStatement {
    /// Binds a subscription's names to three places, from one on.
    fileprivate func bind(_ place: Int32, _ subscription: PresentedSubscription) throws {
        try bind(place, subscription.bundleId)
        try bind(place + 1, subscription.environment)
        try bind(place + 2, subscription.originalTransactionId)
    }
}
