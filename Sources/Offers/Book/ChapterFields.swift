extension CompactReader {
    mutating func date() throws(StorageFailure) -> Timestamp {
        Timestamp(millisecondsSince1970: try signed())
    }
}

/// An account that a transaction may name: its pseudonym is made when the first one does.
struct TiedAccount {
    let digest: AccountDigest
    lazy var pseudonym = digest.pseudonym
}

/// The fields of a transaction or renewal info, as they come.
///
/// In tables of their own size: in dictionaries they took half of the time of a look-up.
struct ChapterFields {
    /// The numbers, and of texts their places among ``texts``.
    private var numbers = InlineArray<64, Int64>(repeating: 0)
    /// One bit for each field that is there.
    private var found: UInt64 = 0
    /// All that the chapter had so far.
    private var texts: [String] = []
    private var winBackOfferIds: [String] = []
    private(set) var linkedIds: [String] = []
    private var account: AppAccountToken?

    init(from reader: inout CompactReader, _ accounts: inout [TiedAccount]) throws(StorageFailure) {
        while true {
            let name = try reader.number()
            if name == 0 { break }
            guard let field = HeldField(rawValue: name) else { throw CompactReader.fault }
            switch field {
            case .signed, .isUpgraded, .isFamilyShared, .isOfferUnsaid, .billedUpfront, .billedMonthly, .isThere,
                .hasExpirationIntent, .isInBillingRetryPeriod, .isAssigned, .isOwnershipUnsaid, .isAddition,
                .isFree, .isFreeUnsaid, .isPaidUpFront, .isShownSinceUnsaid, .isBundled, .willUnbundle:
                store(1, as: field)
            case .transactionId, .productId, .group, .revocationType, .offerId, .currency, .storefront, .reason,
                .ownership, .webOrderLineItemId, .previousId, .appTransactionId, .offerProductId,
                .bundleOriginalTransactionId, .bundleTransactionId, .bundleProductId:
                store(Int64(try reader.textPlace()), as: field)
            case .linkedId: linkedIds.append(try reader.text())
            case .winBackOfferId: winBackOfferIds.append(try reader.text())
            case .otherAccount: account = AppAccountToken(try reader.text())
            case .account:
                let place = try reader.signed()
                guard accounts.indices.contains(Int(clamping: place)) else { throw CompactReader.fault }
                account = accounts[Int(clamping: place)].pseudonym
            default: store(try reader.signed(), as: field)
            }
        }
        texts = reader.texts
    }

    private mutating func store(_ number: Int64, as field: HeldField) {
        numbers[Int(field.rawValue)] = number
        found |= 1 << field.rawValue
    }

    private func number(_ field: HeldField) -> Int64? {
        flag(field) ? numbers[Int(field.rawValue)] : nil
    }

    private func text(_ field: HeldField) -> String? { number(field).map { texts[Int($0)] } }

    private func flag(_ field: HeldField) -> Bool { found >> field.rawValue & 1 == 1 }

    var asOf: Timestamp {
        get throws(StorageFailure) {
            guard let date = date(.asOf) else { throw CompactReader.fault }
            return date
        }
    }

    private func date(_ field: HeldField) -> Timestamp? { number(field).map(Timestamp.init(millisecondsSince1970:)) }

    /// Version 0.3.0 could write the signature's date apart.
    var source: Source { flag(.signed) || flag(.signedDate) ? .signature : .answer }

    func statement(of identity: SubscriptionIdentity) throws(StorageFailure) -> Statement<Transaction> {
        var statement = Statement(transaction(of: identity), asOf: try asOf, by: source)
        if flag(.isShownSinceUnsaid) { statement.shownSince = nil }
        if let shown = date(.shownSince) { statement.shownSince = shown }
        return statement
    }

    private var offer: RedeemedOffer? { RedeemedOffer(type: number(.offerType), identifier: text(.offerId)) }

    func transaction(of identity: SubscriptionIdentity) -> Transaction {
        var transaction = Transaction(
            originalTransactionId: identity.originalTransactionId,
            productId: text(.productId) ?? "",
            subscriptionGroupIdentifier: text(.group),
            purchaseDate: date(.purchaseDate),
            expiresDate: date(.expiresDate),
            revocationDate: date(.revocationDate),
            revocation: text(.revocationType).map {
                Revocation(Revocation.Kind($0), percentage: number(.revocationPercentage))
            },
            isUpgraded: flag(.isUpgraded),
            ownership: ownership,
            appAccountToken: account,
            offer: offer,
            transactionId: text(.transactionId),
            price: number(.price).flatMap { milliunits in
                text(.currency).map { PaidPrice(milliunits: milliunits, currency: $0) }
            },
            storefront: text(.storefront),
            reason: text(.reason).flatMap(TransactionReason.init),
            billingPlan: billingPlan
        )
        transaction.isOfferSaid = !flag(.isOfferUnsaid)
        transaction.isFree = flag(.isFree) ? true : flag(.isFreeUnsaid) ? nil : false
        transaction.isPaidUpFront = flag(.isPaidUpFront)
        transaction.webOrderLineItemId = text(.webOrderLineItemId)
        transaction.previousOriginalTransactionId = text(.previousId)
        transaction.appTransactionId = text(.appTransactionId)
        transaction.isAddition = flag(.isAddition)
        transaction.originalPurchaseDate = date(.originalPurchaseDate)
        if flag(.isBundled) {
            transaction.bundle = .of(
                originalTransactionId: text(.bundleOriginalTransactionId),
                transactionId: text(.bundleTransactionId),
                productId: text(.bundleProductId)
            )
        }
        transaction.kind = number(.kind).flatMap(Transaction.Kind.init) ?? .subscription
        return transaction
    }

    private var ownership: Ownership {
        if flag(.isFamilyShared) { return .familyShared }
        if flag(.isAssigned) { return .assigned }
        if flag(.isOwnershipUnsaid) { return .unknown(nil) }
        return text(.ownership).map { .unknown($0) } ?? .purchased
    }

    private var billingPlan: BillingPlan? {
        if flag(.billedUpfront) { return .upfront }
        guard flag(.billedMonthly) else { return nil }
        let (period, total) = (number(.billingPeriodNumber), number(.totalBillingPeriods))
        let end = date(.commitmentExpiresDate)
        guard period != nil || total != nil || end != nil else { return .monthly(nil) }
        return .monthly(
            BillingPlan.Commitment(billingPeriodNumber: period, totalBillingPeriods: total, expiresDate: end)
        )
    }

    var accepted: AcceptedOffer {
        AcceptedOffer(
            offerId: text(.offerId) ?? "",
            productId: text(.productId) ?? "",
            beside: text(.transactionId) ?? ""
        )
    }

    func renewal(of identity: SubscriptionIdentity) -> RenewalInfo? {
        guard flag(.isThere) else { return nil }
        var renewal = RenewalInfo(
            originalTransactionId: identity.originalTransactionId,
            productId: text(.productId),
            subscriptionGroupIdentifier: text(.group),
            autoRenewStatus: number(.renews).map { $0 == 1 },
            hasExpirationIntent: flag(.hasExpirationIntent),
            isInBillingRetryPeriod: flag(.isInBillingRetryPeriod),
            gracePeriodExpiresDate: date(.gracePeriodExpiresDate),
            offer: offer,
            commitmentAutoRenewStatus: number(.commitmentRenews).map { $0 == 1 },
            renewalDate: date(.renewalDate)
        )
        renewal.eligibleWinBackOfferIds = winBackOfferIds
        renewal.offerProductId = text(.offerProductId)
        renewal.lapseReason = number(.expirationIntent).flatMap(LapseReason.init)
        renewal.priceIncrease = number(.priceIncrease).map { PriceIncrease(rawValue: $0) ?? .unknown } ?? .notDue
        renewal.willUnbundle = flag(.willUnbundle)
        if let code = number(.status).flatMap(SubscriptionStatus.Code.init), let asOf = date(.statusAsOf) {
            renewal.status = SubscriptionStatus(code, asOf: asOf)
        }
        return renewal
    }
}
