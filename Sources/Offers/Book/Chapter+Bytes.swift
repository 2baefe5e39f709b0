// The bytes of a stored chapter: a version, its accounts, and then its parts, each a list of fields that ends with zero. A
// field that is not there has the value that most have.

/// The kind of a part; the raw values are kept in storage.
enum HeldPart: UInt64 {
    case transaction = 1
    case shown = 2
    case renewal = 3
    case link = 4
    case confirmed = 5
    case accepted = 6
}

/// A field of a transaction or a renewal info; the raw values are kept in storage.
enum HeldField: UInt64 {
    case asOf = 1
    case signed = 2
    case signedDate = 3
    // Written by 0.2.0 where it was not the date of the statement.
    case transactionId = 4
    case productId = 5
    case group = 6
    case purchaseDate = 7
    case expiresDate = 8
    case revocationDate = 9
    case revocationType = 10
    case revocationPercentage = 11
    case isUpgraded = 12
    case isFamilyShared = 13
    case account = 14
    case otherAccount = 15
    case offerType = 16
    case offerId = 17
    case isOfferUnsaid = 18
    case price = 19
    case currency = 20
    case storefront = 21
    case reason = 22
    case billedUpfront = 23
    case billedMonthly = 24
    case billingPeriodNumber = 25
    case totalBillingPeriods = 26
    case commitmentExpiresDate = 27
    case isThere = 28
    case renews = 29
    case commitmentRenews = 30
    case hasExpirationIntent = 31
    case isInBillingRetryPeriod = 32
    case gracePeriodExpiresDate = 33
    case status = 34
    case statusAsOf = 35
    case winBackOfferId = 36
    case isAssigned = 37
    case ownership = 38
    case isOwnershipUnsaid = 39
    case webOrderLineItemId = 40
    case previousId = 41
    case appTransactionId = 42
    case isAddition = 43
    case kind = 44
    case linkedId = 45
    case isFree = 46
    case isFreeUnsaid = 47
    case offerProductId = 48
    case renewalDate = 49
    case shownSince = 50
    case isShownSinceUnsaid = 51
    case originalPurchaseDate = 52
    case expirationIntent = 53
    case priceIncrease = 54
    case isBundled = 55
    case bundleOriginalTransactionId = 56
    case bundleTransactionId = 57
    case bundleProductId = 58
    case willUnbundle = 59
    case isPaidUpFront = 60
}

extension Chapter {
    /// 1 was that of version 0.2.0, which stored neither whether an organisation pays, nor whether a period is free; 2 that of
    /// 0.3.0, which stored neither since when a transaction has been shown, nor whether the price rises.
    private static let version: UInt64 = 3

    package var bytes: [UInt8] {
        var writer = CompactWriter(capacity: 256)
        writer.number(Self.version)
        let sorted = accounts.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        writer.number(UInt64(sorted.count))
        for (account, tie) in sorted {
            writer.blob(account.bytes)
            switch tie {
            case .bought: writer.number(0)
            case .redeemed: writer.number(1)
            case .presented(let moment):
                writer.number(2)
                writer.signed(moment.millisecondsSince1970)
            }
        }
        let pseudonyms = sorted.map(\.key.pseudonym)
        for statement in transactions {
            writer.number(HeldPart.transaction.rawValue)
            writer.dates(of: statement)
            writer.fields(of: statement.content, pseudonyms)
        }
        for redemption in shown {
            writer.number(HeldPart.shown.rawValue)
            writer.fields(of: redemption, pseudonyms)
        }
        if let renewal {
            writer.number(HeldPart.renewal.rawValue)
            writer.dates(asOf: renewal.asOf, renewal.source)
            writer.fields(of: renewal.content)
        }
        for (offer, date) in accepted.sorted(by: AcceptedOffer.isEarlier) {
            writer.number(HeldPart.accepted.rawValue)
            writer.field(.asOf, date)
            writer.field(.offerId, offer.offerId)
            writer.field(.productId, offer.productId)
            writer.field(.transactionId, offer.beside)
            writer.number(0)
        }
        if !linked.isEmpty {
            writer.number(HeldPart.link.rawValue)
            for id in linked.sorted() { writer.field(.linkedId, id) }
            writer.number(0)
        }
        if let confirmed {
            writer.number(HeldPart.confirmed.rawValue)
            writer.field(.asOf, confirmed)
            writer.number(0)
        }
        return writer.bytes
    }

    package init(_ identity: SubscriptionIdentity, bytes: [UInt8]) throws(StorageFailure) {
        var reader = CompactReader(bytes)
        let version = try reader.number()
        guard (1...Self.version).contains(version) else { throw CompactReader.fault }
        var accounts: [AccountDigest: AccountTie] = [:]
        var tied: [TiedAccount] = []
        for _ in 0..<(try reader.number()) {
            let account = AccountDigest(Array(try reader.blob()))
            switch try reader.number() {
            case 0: accounts[account] = .bought
            case 1: accounts[account] = .redeemed
            case 2: accounts[account] = .presented(at: try reader.date())
            default: throw CompactReader.fault
            }
            tied.append(TiedAccount(digest: account))
        }
        self.init(identity, accounts: accounts)
        var accepted: [AcceptedOffer: Timestamp] = [:]
        while !reader.isAtEnd {
            let part = HeldPart(rawValue: try reader.number())
            let fields = try ChapterFields(from: &reader, &tied)
            switch part {
            case .transaction: transactions.append(try fields.statement(of: identity))
            case .shown: shown.append(fields.transaction(of: identity))
            case .renewal: renewal = Statement(fields.renewal(of: identity), asOf: try fields.asOf, by: fields.source)
            case .link: linked.formUnion(fields.linkedIds)
            case .accepted: accepted[fields.accepted] = try fields.asOf
            case .confirmed: confirmed = try fields.asOf
            case nil: throw CompactReader.fault
            }
        }
        self.accepted = accepted
        if version < 3 {
            for place in transactions.indices { transactions[place].shownSince = nil }
            renewal?.content?.priceIncrease = .unknown
        }
        if version == 1 {
            for place in transactions.indices { transactions[place].content.isFree = nil }
            leaveOwnershipOpen()
        }
    }

    /// Seats that somebody else pays for exist since 2026-09-16 (App Store Server API 1.22).
    ///
    /// A subscription that began since, and that version 0.2.0 stored, may be one.
    private mutating func leaveOwnershipOpen() {
        let first = Timestamp(millisecondsSince1970: 1_789_516_800_000)
        let isOlder = transactions.contains { said in
            (said.content.purchaseDate ?? said.content.expiresDate).map { $0 < first } ?? false
        }
        guard !isOlder else { return }
        for place in transactions.indices where transactions[place].content.ownership == .purchased {
            transactions[place].content.ownership = .unknown(nil)
        }
    }
}

extension Transaction {
    /// Bytes that say all of it, by which two copies are put in an order that is always the same.
    var orderedBytes: [UInt8] {
        var writer = CompactWriter(capacity: 128)
        writer.fields(of: self, [])
        return writer.bytes
    }
}

extension RenewalInfo? {
    var orderedBytes: [UInt8] {
        var writer = CompactWriter(capacity: 64)
        writer.fields(of: self)
        return writer.bytes
    }
}

extension CompactWriter {
    fileprivate mutating func dates(of statement: Statement<Transaction>) {
        dates(asOf: statement.asOf, statement.source)
        guard let shown = statement.shownSince else { return flag(.isShownSinceUnsaid, true) }
        if shown != min(statement.asOf, statement.content.purchaseDate ?? statement.asOf) { field(.shownSince, shown) }
    }

    fileprivate mutating func dates(asOf: Timestamp, _ source: Source) {
        field(.asOf, asOf)
        flag(.signed, source == .signature)
    }

    fileprivate mutating func fields(of transaction: Transaction, _ pseudonyms: [AppAccountToken]) {
        field(.transactionId, transaction.transactionId)
        field(.productId, transaction.productId)
        field(.group, transaction.subscriptionGroupIdentifier)
        field(.purchaseDate, transaction.purchaseDate)
        field(.expiresDate, transaction.expiresDate)
        field(.revocationDate, transaction.revocationDate)
        field(.revocationType, transaction.revocation?.kind.name)
        field(.revocationPercentage, transaction.revocation?.percentage)
        flag(.isUpgraded, transaction.isUpgraded)
        switch transaction.ownership {
        case .purchased: break
        case .familyShared: flag(.isFamilyShared, true)
        case .assigned: flag(.isAssigned, true)
        case .unknown(let name?): field(.ownership, name)
        case .unknown(nil): flag(.isOwnershipUnsaid, true)
        }
        if let token = transaction.appAccountToken {
            if let place = pseudonyms.firstIndex(of: token) {
                field(.account, Int64(place))
            } else {
                field(.otherAccount, token.lowercased)
            }
        }
        fields(of: transaction.offer)
        flag(.isOfferUnsaid, !transaction.isOfferSaid)
        flag(.isFree, transaction.isFree == true)
        flag(.isFreeUnsaid, transaction.isFree == nil)
        flag(.isPaidUpFront, transaction.isPaidUpFront)
        field(.price, transaction.price?.milliunits)
        field(.currency, transaction.price?.currency)
        field(.storefront, transaction.storefront)
        field(.reason, transaction.reason?.rawValue)
        switch transaction.billingPlan {
        case nil: break
        case .upfront: flag(.billedUpfront, true)
        case .monthly(let commitment):
            flag(.billedMonthly, true)
            field(.billingPeriodNumber, commitment?.billingPeriodNumber)
            field(.totalBillingPeriods, commitment?.totalBillingPeriods)
            field(.commitmentExpiresDate, commitment?.expiresDate)
        }
        field(.webOrderLineItemId, transaction.webOrderLineItemId)
        field(.previousId, transaction.previousOriginalTransactionId)
        field(.appTransactionId, transaction.appTransactionId)
        flag(.isAddition, transaction.isAddition)
        field(.originalPurchaseDate, transaction.originalPurchaseDate)
        if let bundle = transaction.bundle {
            flag(.isBundled, true)
            field(.bundleOriginalTransactionId, bundle.originalTransactionId)
            field(.bundleTransactionId, bundle.transactionId)
            field(.bundleProductId, bundle.productId)
        }
        if transaction.kind != .subscription { field(.kind, transaction.kind.rawValue) }
        number(0)
    }

    fileprivate mutating func fields(of renewal: RenewalInfo?) {
        if let renewal {
            flag(.isThere, true)
            field(.productId, renewal.productId)
            field(.group, renewal.subscriptionGroupIdentifier)
            field(.renews, renewal.autoRenewStatus.map { $0 ? 1 : 0 })
            field(.commitmentRenews, renewal.commitmentAutoRenewStatus.map { $0 ? 1 : 0 })
            flag(.hasExpirationIntent, renewal.hasExpirationIntent)
            flag(.isInBillingRetryPeriod, renewal.isInBillingRetryPeriod)
            field(.gracePeriodExpiresDate, renewal.gracePeriodExpiresDate)
            fields(of: renewal.offer)
            field(.offerProductId, renewal.offerProductId)
            field(.status, renewal.status?.code.rawValue)
            field(.statusAsOf, renewal.status?.asOf)
            field(.renewalDate, renewal.renewalDate)
            field(.expirationIntent, renewal.lapseReason?.intent)
            if renewal.priceIncrease != .notDue { field(.priceIncrease, renewal.priceIncrease.rawValue) }
            flag(.willUnbundle, renewal.willUnbundle)
            for id in renewal.eligibleWinBackOfferIds { field(.winBackOfferId, id) }
        }
        number(0)
    }

    private mutating func fields(of offer: RedeemedOffer?) {
        guard let offer else { return }
        field(.offerType, offer.type)
        if !offer.identifier.isEmpty { field(.offerId, offer.identifier) }
    }

    fileprivate mutating func field(_ field: HeldField, _ value: String?) {
        guard let value else { return }
        number(field.rawValue)
        text(value)
    }

    private mutating func field(_ field: HeldField, _ value: Int64?) {
        guard let value else { return }
        number(field.rawValue)
        signed(value)
    }

    fileprivate mutating func field(_ field: HeldField, _ value: Timestamp?) {
        self.field(field, value?.millisecondsSince1970)
    }

    private mutating func flag(_ field: HeldField, _ value: Bool) {
        if value { number(field.rawValue) }
    }
}
