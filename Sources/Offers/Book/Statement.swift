/// Something that Apple said: its content, and when.
package struct Statement<Content: Equatable & Sendable>: Equatable, Sendable {
    package var content: Content
    /// Apple's clock at that moment: `signedDate`, or the date of the answer.
    package var asOf: Timestamp
    /// The earliest moment at which Apple is known to have said so; `nil` where version 0.3.0 stored it, which kept the last
    /// moment alone.
    package var shownSince: Timestamp?
    package var source: Source

    package init(_ content: Content, asOf: Timestamp, by source: Source) {
        self.content = content
        self.asOf = asOf
        shownSince = asOf
        self.source = source
    }

    /// Whether it counts more than another one about the same: the newer does, then by source, then by content.
    fileprivate func counts(over other: Self, isLess: (Content, Content) -> Bool) -> Bool {
        if asOf != other.asOf { return asOf > other.asOf }
        if source != other.source { return source > other.source }
        return isLess(other.content, content)
    }

    /// Whether it says no more than an earlier one did, less than an hour later.
    func isNoNews(after earlier: Self) -> Bool {
        asOf <= earlier.asOf.adding(seconds: 3600) && shownSince == earlier.shownSince && content == earlier.content
    }
}

/// Who brought a statement, in the order in which equally new ones count.
package enum Source: Comparable, Sendable {
    /// The service remembers it.
    case memory
    /// A client's verifyReceipt answer, which the client could have made up.
    case client
    /// The App Store's answer to this service, without a signature.
    case answer
    /// Signed by the App Store.
    case signature
}

extension Statement<Transaction> {
    /// A transaction has been shown when it begins, at the latest.
    package init(_ transaction: Transaction, asOf: Timestamp, by source: Source) {
        self.content = transaction
        self.asOf = asOf
        shownSince = min(asOf, transaction.purchaseDate ?? asOf)
        self.source = source
    }

    /// Joins another statement about the same transaction: the newer counts, and the other where that one is silent.
    ///
    /// Of two equally new ones a refund, an upgrade and an owner that gives less away count if either says so.
    mutating func join(_ other: Self) {
        guard self != other else { return }
        let isNewer = counts(over: other, isLess: Transaction.precedes)
        let (newer, older) = isNewer ? (self, other) : (other, self)
        var joined = newer
        if older.asOf == newer.asOf, older.source == newer.source {
            joined.content.join(older.content)
        } else {
            joined.content.fillGaps(from: older.content)
            // An answer that does not say whose a purchase is means a customer's own; what is signed does not.
            // Beside another owner that was named before, it counts as silent, as owners do not change.
            let owners = (newer: newer.content.ownership, older: older.content.ownership)
            if owners.newer == .unknown(nil) && older.source == .signature
                || owners.newer == .purchased && newer.source != .signature && owners.older != .unknown(nil)
            {
                joined.content.ownership = owners.older
            }
        }
        joined.shownSince = shownSince.flatMap { shown in other.shownSince.map { min(shown, $0) } }
        self = joined
    }
}

extension Statement<RenewalInfo?> {
    /// Joins another statement about the renewal of the same subscription: the newer counts.
    mutating func join(_ other: Self) {
        if !counts(over: other, isLess: RenewalInfo?.precedes) { self = other }
    }
}

extension Transaction {
    /// Joins an equally new copy: a refund, an upgrade and an owner that gives less away count if either says so.
    package mutating func join(_ copy: Transaction) {
        revocationDate = revocationDate ?? copy.revocationDate
        isUpgraded = isUpgraded || copy.isUpgraded
        let isUnsaid = copy.ownership == .unknown(nil)
        if ownership == .unknown(nil) || ownership == .purchased && !isUnsaid { ownership = copy.ownership }
        fillGaps(from: copy)
    }

    /// Takes from an older copy what a newer one may leave out and nobody takes back.
    fileprivate mutating func fillGaps(from older: Transaction) {
        complete(by: older)
        if productId.isEmpty { productId = older.productId }
        subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? older.subscriptionGroupIdentifier
        appAccountToken = appAccountToken ?? older.appAccountToken
        purchaseDate = purchaseDate ?? older.purchaseDate
        // An old answer's `in_app` has fewer members than its `latest_receipt_info`, and what was redeemed stays redeemed.
        if offer?.catalogId == nil { offer = older.offer?.catalogId == nil ? offer ?? older.offer : older.offer }
        if revocationDate != nil { revocation = revocation ?? older.revocation }
    }

    /// An order that is always the same, of copies of one transaction: of two owners the one counts that gives less away.
    static func precedes(_ left: Transaction, _ right: Transaction) -> Bool {
        guard left != right else { return false }
        guard (left.ownership == .purchased) == (right.ownership == .purchased) else {
            return left.ownership == .purchased
        }
        guard isOlder(left, right) == isOlder(right, left) else { return isOlder(left, right) }
        return left.orderedBytes.lexicographicallyPrecedes(right.orderedBytes)
    }
}

extension RenewalInfo? {
    /// An order that is always the same.
    fileprivate static func precedes(_ left: RenewalInfo?, _ right: RenewalInfo?) -> Bool {
        guard left != right else { return false }
        guard let left, let right else { return left == nil }
        // What version 0.3.0 stored says less than the same said again.
        guard left.isComplete == right.isComplete else { return right.isComplete }
        return Self.some(left).orderedBytes.lexicographicallyPrecedes(Self.some(right).orderedBytes)
    }
}

extension RenewalInfo {
    fileprivate var isComplete: Bool { priceIncrease != .unknown && hasExpirationIntent == (lapseReason != nil) }
}
