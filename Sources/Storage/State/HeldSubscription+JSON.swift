import Offers
import StrictJSON

// The text of a held subscription. Members that are not there have the value that most have.

extension HeldSubscription {
    /// The text by which it is kept.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { json in
            json.member("learntAt", learntAt.millisecondsSince1970)
            json.member("transactions")
            json.array { list in
                for held in transactions.values { list.object { $0.members(of: held) } }
            }
            if let renewal {
                json.member("renewal")
                json.object { $0.members(of: renewal) }
            }
            json.member("accounts")
            json.array { list in
                for (account, tie) in accounts {
                    list.object { json in
                        json.member("digest", Hexadecimal.text(account.bytes))
                        if let customer = customers[account] {
                            json.member("customer", Hexadecimal.text(customer.bytes))
                        }
                        if case .presented(let moment) = tie {
                            json.member("presentedAt", moment.millisecondsSince1970)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Reads the text.
    ///
    /// - Parameters:
    ///   - identity: Which subscription it is of.
    ///   - json: The text.
    /// - Throws: `JSONFault` when it is no such text.
    init(_ identity: SubscriptionIdentity, json: [UInt8]) throws(JSONFault) {
        var transactions: [Held<Transaction>] = []
        var renewal: Held<RenewalInfo?>?
        var accounts: [AccountDigest: AccountTie] = [:]
        var customers: [AccountDigest: AccountDigest] = [:]
        var learntAt = Timestamp(millisecondsSince1970: 0)
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "learntAt": learntAt = try reader.readTimestamp()
            case "transactions":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    transactions.append(try HeldFields(from: &reader).transaction(of: identity))
                }
            case "renewal": renewal = try HeldFields(from: &reader).renewal(of: identity)
            case "accounts":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    var digest: AccountDigest?
                    var customer: AccountDigest?
                    var tie = AccountTie.bought
                    try reader.readObject { (name, reader) throws(JSONFault) in
                        switch name {
                        case "digest": digest = Hexadecimal.bytes(try reader.readString()).map(AccountDigest.init)
                        case "customer": customer = Hexadecimal.bytes(try reader.readString()).map(AccountDigest.init)
                        case "presentedAt": tie = .presented(at: try reader.readTimestamp())
                        default: try reader.skipValue()
                        }
                    }
                    guard let digest else { return }
                    accounts[digest] = tie
                    customers[digest] = customer
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        self.init(
            identity,
            transactions: transactions,
            renewal: renewal,
            accounts: accounts,
            customers: customers,
            learntAt: learntAt
        )
    }
}

extension JSONWriter {
    fileprivate mutating func members(of held: Held<Transaction>) {
        let transaction = held.value
        member("asOf", held.asOf.millisecondsSince1970)
        member("source", Int64(held.source.rawValue))
        optional("transactionId", transaction.transactionId)
        member("productId", transaction.productId)
        optional("group", transaction.subscriptionGroupIdentifier)
        optional("purchaseDate", transaction.purchaseDate)
        optional("expiresDate", transaction.expiresDate)
        optional("revocationDate", transaction.revocationDate)
        flag("isUpgraded", transaction.isUpgraded)
        flag("isFamilyShared", transaction.isFamilyShared)
        optional("account", transaction.appAccountToken?.lowercased)
        members(of: transaction.offer)
        flag("isOfferUnsaid", !transaction.isOfferSaid)
        optional("signedDate", transaction.signedDate)
        if let price = transaction.price {
            member("price", price.milliunits)
            member("currency", price.currency)
        }
        optional("storefront", transaction.storefront)
        optional("reason", transaction.reason?.rawValue)
        if let revocation = transaction.revocation {
            member("revocationType", revocation.kind.rawValue)
            optional("revocationPercentage", revocation.percentage)
        }
        switch transaction.billingPlan {
        case nil: break
        case .upfront: member("billingPlanType", "BILLED_UPFRONT")
        case .monthly(let commitment):
            member("billingPlanType", "MONTHLY")
            optional("billingPeriodNumber", commitment?.billingPeriodNumber)
            optional("totalBillingPeriods", commitment?.totalBillingPeriods)
            optional("commitmentExpiresDate", commitment?.expiresDate)
        }
    }

    private mutating func members(of offer: RedeemedOffer?) {
        guard let offer else { return }
        member("offerType", offer.type)
        if !offer.identifier.isEmpty { member("offerId", offer.identifier) }
    }

    fileprivate mutating func members(of held: Held<RenewalInfo?>) {
        member("asOf", held.asOf.millisecondsSince1970)
        member("source", Int64(held.source.rawValue))
        guard let renewal = held.value else { return }
        flag("isThere", true)
        optional("productId", renewal.productId)
        optional("group", renewal.subscriptionGroupIdentifier)
        if let status = renewal.autoRenewStatus {
            member("autoRenewStatus")
            bool(status)
        }
        flag("hasExpirationIntent", renewal.hasExpirationIntent)
        flag("isInBillingRetryPeriod", renewal.isInBillingRetryPeriod)
        optional("gracePeriodExpiresDate", renewal.gracePeriodExpiresDate)
        members(of: renewal.offer)
        if let status = renewal.commitmentAutoRenewStatus {
            member("commitmentAutoRenewStatus")
            bool(status)
        }
        if let status = renewal.status {
            member("status", status.code.rawValue)
            member("statusAsOf", status.asOf.millisecondsSince1970)
        }
        if !renewal.eligibleWinBackOfferIds.isEmpty {
            member("winBackOfferIds")
            array { list in
                for id in renewal.eligibleWinBackOfferIds { list.string(id) }
            }
        }
        optional("signedDate", renewal.signedDate)
    }

    private mutating func optional(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    private mutating func optional(_ name: StaticString, _ value: Timestamp?) {
        if let value { member(name, value.millisecondsSince1970) }
    }

    private mutating func optional(_ name: StaticString, _ value: Int64?) {
        if let value { member(name, value) }
    }

    private mutating func flag(_ name: StaticString, _ value: Bool) {
        guard value else { return }
        member(name)
        bool(true)
    }
}

extension JSONReader {
    fileprivate mutating func readTimestamp() throws(JSONFault) -> Timestamp {
        Timestamp(millisecondsSince1970: try readInt64())
    }
}

/// The members of a transaction or renewal info, as they come.
private struct HeldFields {
    private var texts: [String: String] = [:]
    private var numbers: [String: Int64] = [:]
    private var flags: [String: Bool] = [:]
    private var winBackOfferIds: [String] = []

    init(from reader: inout JSONReader) throws(JSONFault) {
        var fields = HeldFields()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch try reader.nextType() {
            case .string: fields.texts[name] = try reader.readString()
            case .number: fields.numbers[name] = try reader.readInt64()
            case .boolean: fields.flags[name] = try reader.readBool()
            case .array where name == "winBackOfferIds":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    fields.winBackOfferIds.append(try reader.readString())
                }
            default: try reader.skipValue()
            }
        }
        self = fields
    }

    private init() {}

    func transaction(of identity: SubscriptionIdentity) throws(JSONFault) -> Held<Transaction> {
        var transaction =
            Transaction(
                originalTransactionId: identity.originalTransactionId,
                productId: texts["productId"] ?? "",
                subscriptionGroupIdentifier: texts["group"],
                purchaseDate: date("purchaseDate"),
                expiresDate: date("expiresDate"),
                revocationDate: date("revocationDate"),
                revocation: texts["revocationType"].flatMap(Revocation.Kind.init).map {
                    Revocation($0, percentage: numbers["revocationPercentage"])
                },
                isUpgraded: flags["isUpgraded"] ?? false,
                isFamilyShared: flags["isFamilyShared"] ?? false,
                appAccountToken: texts["account"].flatMap(AppAccountToken.init),
                offer: offer,
                transactionId: texts["transactionId"],
                signedDate: date("signedDate"),
                price: price,
                storefront: texts["storefront"],
                reason: texts["reason"].flatMap(TransactionReason.init),
                billingPlan: billingPlan
            )
        transaction.isOfferSaid = flags["isOfferUnsaid"] != true
        return Held(transaction, asOf: try asOf, source: try source)
    }

    private var offer: RedeemedOffer? {
        RedeemedOffer(type: numbers["offerType"], identifier: texts["offerId"])
    }

    private var billingPlan: BillingPlan? {
        switch texts["billingPlanType"] {
        case "BILLED_UPFRONT": .upfront
        case "MONTHLY": .monthly(commitment)
        default: nil
        }
    }

    private var commitment: BillingPlan.Commitment? {
        let (number, total) = (numbers["billingPeriodNumber"], numbers["totalBillingPeriods"])
        let end = date("commitmentExpiresDate")
        guard number != nil || total != nil || end != nil else { return nil }
        return BillingPlan.Commitment(billingPeriodNumber: number, totalBillingPeriods: total, expiresDate: end)
    }

    private var price: PaidPrice? {
        guard let milliunits = numbers["price"], let currency = texts["currency"] else { return nil }
        return PaidPrice(milliunits: milliunits, currency: currency)
    }

    func renewal(of identity: SubscriptionIdentity) throws(JSONFault) -> Held<RenewalInfo?> {
        guard flags["isThere"] == true else { return Held(nil, asOf: try asOf, source: try source) }
        var renewal = RenewalInfo(
            originalTransactionId: identity.originalTransactionId,
            productId: texts["productId"],
            subscriptionGroupIdentifier: texts["group"],
            autoRenewStatus: flags["autoRenewStatus"],
            hasExpirationIntent: flags["hasExpirationIntent"] ?? false,
            isInBillingRetryPeriod: flags["isInBillingRetryPeriod"] ?? false,
            gracePeriodExpiresDate: date("gracePeriodExpiresDate"),
            offer: offer,
            commitmentAutoRenewStatus: flags["commitmentAutoRenewStatus"],
            signedDate: date("signedDate")
        )
        renewal.eligibleWinBackOfferIds = winBackOfferIds
        if let code = numbers["status"].flatMap(SubscriptionStatus.Code.init), let asOf = date("statusAsOf") {
            renewal.status = SubscriptionStatus(code, asOf: asOf)
        }
        return Held(renewal, asOf: try asOf, source: try source)
    }

    private func date(_ name: String) -> Timestamp? { numbers[name].map(Timestamp.init(millisecondsSince1970:)) }

    private var asOf: Timestamp {
        get throws(JSONFault) {
            guard let date = date("asOf") else { throw JSONFault(.missingMember, "What is held has a date.") }
            return date
        }
    }

    private var source: StateSource {
        get throws(JSONFault) {
            guard let source = numbers["source"].flatMap({ StateSource(rawValue: Int($0)) }) else {
                throw JSONFault(.missingMember, "What is held has a source.")
            }
            return source
        }
    }
}
