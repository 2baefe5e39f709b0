import Offers

// The bytes of a held subscription: a version, its accounts, and then its parts, each a list of fields that ends with zero.
// A field that is not there has the value that most have.

/// The kind of a part; the raw values are kept in storage.
private enum Part: UInt64 {
    case transaction = 1
    case shown = 2
    case renewal = 3
}

/// A field of a transaction or a renewal info; the raw values are kept in storage.
private enum Field: UInt64 {
    case asOf = 1
    case signed = 2
    case signedDate = 3
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
}

extension HeldSubscription {
    private static let version: UInt64 = 1

    /// The bytes by which it is kept.
    var bytes: [UInt8] {
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
        for (_, held) in transactions.sorted(by: { $0.key < $1.key }) {
            writer.number(Part.transaction.rawValue)
            writer.fields(of: held.value, asOf: held.asOf, pseudonyms)
        }
        for (_, redemption) in shown.sorted(by: { $0.key < $1.key }) {
            writer.number(Part.shown.rawValue)
            writer.fields(of: redemption, asOf: nil, pseudonyms)
        }
        if let renewal {
            writer.number(Part.renewal.rawValue)
            writer.fields(of: renewal)
        }
        return writer.bytes
    }

    /// Reads the bytes.
    ///
    /// - Parameters:
    ///   - identity: Which subscription they are of.
    ///   - bytes: The bytes.
    /// - Throws: ``StorageFailure`` when they are no such bytes.
    init(_ identity: SubscriptionIdentity, bytes: [UInt8]) throws(StorageFailure) {
        var reader = CompactReader(bytes)
        guard try reader.number() == Self.version else { throw CompactReader.fault }
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
        var transactions: [Held<Transaction>] = []
        var shown: [Transaction] = []
        var renewal: Held<RenewalInfo?>?
        while !reader.isAtEnd {
            let part = Part(rawValue: try reader.number())
            let fields = try Fields(from: &reader, &tied)
            switch part {
            case .transaction: transactions.append(Held(fields.transaction(of: identity), asOf: try fields.asOf))
            case .shown: shown.append(fields.transaction(of: identity))
            case .renewal: renewal = Held(fields.renewal(of: identity), asOf: try fields.asOf)
            case nil: throw CompactReader.fault
            }
        }
        self.init(identity, transactions: transactions, renewal: renewal, shown: shown, accounts: accounts)
    }
}

extension CompactWriter {
    fileprivate mutating func fields(of transaction: Transaction, asOf: Timestamp?, _ pseudonyms: [AppAccountToken]) {
        dates(asOf, signed: transaction.signedDate)
        field(.transactionId, transaction.transactionId)
        field(.productId, transaction.productId)
        field(.group, transaction.subscriptionGroupIdentifier)
        field(.purchaseDate, transaction.purchaseDate)
        field(.expiresDate, transaction.expiresDate)
        field(.revocationDate, transaction.revocationDate)
        field(.revocationType, transaction.revocation?.kind.rawValue)
        field(.revocationPercentage, transaction.revocation?.percentage)
        flag(.isUpgraded, transaction.isUpgraded)
        flag(.isFamilyShared, transaction.isFamilyShared)
        if let token = transaction.appAccountToken {
            if let place = pseudonyms.firstIndex(of: token) {
                field(.account, Int64(place))
            } else {
                field(.otherAccount, token.lowercased)
            }
        }
        fields(of: transaction.offer)
        flag(.isOfferUnsaid, !transaction.isOfferSaid)
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
        number(0)
    }

    fileprivate mutating func fields(of held: Held<RenewalInfo?>) {
        dates(held.asOf, signed: held.value?.signedDate)
        if let renewal = held.value {
            flag(.isThere, true)
            field(.productId, renewal.productId)
            field(.group, renewal.subscriptionGroupIdentifier)
            field(.renews, renewal.autoRenewStatus.map { $0 ? 1 : 0 })
            field(.commitmentRenews, renewal.commitmentAutoRenewStatus.map { $0 ? 1 : 0 })
            flag(.hasExpirationIntent, renewal.hasExpirationIntent)
            flag(.isInBillingRetryPeriod, renewal.isInBillingRetryPeriod)
            field(.gracePeriodExpiresDate, renewal.gracePeriodExpiresDate)
            fields(of: renewal.offer)
            field(.status, renewal.status?.code.rawValue)
            field(.statusAsOf, renewal.status?.asOf)
            for id in renewal.eligibleWinBackOfferIds { field(.winBackOfferId, id) }
        }
        number(0)
    }

    private mutating func fields(of offer: RedeemedOffer?) {
        guard let offer else { return }
        field(.offerType, offer.type)
        if !offer.identifier.isEmpty { field(.offerId, offer.identifier) }
    }

    private mutating func dates(_ asOf: Timestamp?, signed: Timestamp?) {
        field(.asOf, asOf)
        if let signed, signed == asOf { flag(.signed, true) } else { field(.signedDate, signed) }
    }

    private mutating func field(_ field: Field, _ value: String?) {
        guard let value else { return }
        number(field.rawValue)
        text(value)
    }

    private mutating func field(_ field: Field, _ value: Int64?) {
        guard let value else { return }
        number(field.rawValue)
        signed(value)
    }

    private mutating func field(_ field: Field, _ value: Timestamp?) { self.field(field, value?.millisecondsSince1970) }

    private mutating func flag(_ field: Field, _ value: Bool) {
        if value { number(field.rawValue) }
    }
}

extension CompactReader {
    fileprivate mutating func date() throws(StorageFailure) -> Timestamp {
        Timestamp(millisecondsSince1970: try signed())
    }
}

/// An account that a transaction may name: its pseudonym is made when the first one does.
private struct TiedAccount {
    let digest: AccountDigest
    lazy var pseudonym = digest.pseudonym
}

/// The fields of a transaction or renewal info, as they come.
///
/// In tables of their own size: in dictionaries they took half of the time of a look-up.
private struct Fields {
    private var numbers = InlineArray<64, Int64>(repeating: 0)
    /// One bit for each number that is there.
    private var found: UInt64 = 0
    private var texts: [(field: Field, text: String)] = []
    private var winBackOfferIds: [String] = []
    private var account: AppAccountToken?

    init(from reader: inout CompactReader, _ accounts: inout [TiedAccount]) throws(StorageFailure) {
        texts.reserveCapacity(8)
        while true {
            let name = try reader.number()
            if name == 0 { return }
            guard let field = Field(rawValue: name) else { throw CompactReader.fault }
            switch field {
            case .signed, .isUpgraded, .isFamilyShared, .isOfferUnsaid, .billedUpfront, .billedMonthly, .isThere,
                .hasExpirationIntent, .isInBillingRetryPeriod:
                note(1, as: field)
            case .transactionId, .productId, .group, .revocationType, .offerId, .currency, .storefront, .reason:
                texts.append((field, try reader.text()))
            case .winBackOfferId: winBackOfferIds.append(try reader.text())
            case .otherAccount: account = AppAccountToken(try reader.text())
            case .account:
                let place = try reader.signed()
                guard accounts.indices.contains(Int(clamping: place)) else { throw CompactReader.fault }
                account = accounts[Int(clamping: place)].pseudonym
            default: note(try reader.signed(), as: field)
            }
        }
    }

    private mutating func note(_ number: Int64, as field: Field) {
        numbers[Int(field.rawValue)] = number
        found |= 1 << field.rawValue
    }

    private func number(_ field: Field) -> Int64? {
        flag(field) ? numbers[Int(field.rawValue)] : nil
    }

    private func text(_ field: Field) -> String? { texts.last { $0.field == field }?.text }

    private func flag(_ field: Field) -> Bool { found >> field.rawValue & 1 == 1 }

    var asOf: Timestamp {
        get throws(StorageFailure) {
            guard let date = date(.asOf) else { throw CompactReader.fault }
            return date
        }
    }

    private func date(_ field: Field) -> Timestamp? { number(field).map(Timestamp.init(millisecondsSince1970:)) }

    private var signedDate: Timestamp? { date(flag(.signed) ? .asOf : .signedDate) }

    private var offer: RedeemedOffer? { RedeemedOffer(type: number(.offerType), identifier: text(.offerId)) }

    func transaction(of identity: SubscriptionIdentity) -> Transaction {
        var transaction = Transaction(
            originalTransactionId: identity.originalTransactionId,
            productId: text(.productId) ?? "",
            subscriptionGroupIdentifier: text(.group),
            purchaseDate: date(.purchaseDate),
            expiresDate: date(.expiresDate),
            revocationDate: date(.revocationDate),
            revocation: text(.revocationType).flatMap(Revocation.Kind.init).map {
                Revocation($0, percentage: number(.revocationPercentage))
            },
            isUpgraded: flag(.isUpgraded),
            isFamilyShared: flag(.isFamilyShared),
            appAccountToken: account,
            offer: offer,
            transactionId: text(.transactionId),
            signedDate: signedDate,
            price: number(.price).flatMap { milliunits in
                text(.currency).map { PaidPrice(milliunits: milliunits, currency: $0) }
            },
            storefront: text(.storefront),
            reason: text(.reason).flatMap(TransactionReason.init),
            billingPlan: billingPlan
        )
        transaction.isOfferSaid = !flag(.isOfferUnsaid)
        return transaction
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
            signedDate: signedDate
        )
        renewal.eligibleWinBackOfferIds = winBackOfferIds
        if let code = number(.status).flatMap(SubscriptionStatus.Code.init), let asOf = date(.statusAsOf) {
            renewal.status = SubscriptionStatus(code, asOf: asOf)
        }
        return renewal
    }
}
