import Offers
import StrictJSON

/// The members of a transaction in a verifyReceipt answer, collected one by one in whatever order they come.
struct TransactionFields {
    /// Has the members that need no other one as they are read; `transaction()` adds the rest.
    private var known = Transaction(originalTransactionId: "", productId: "")
    private var purchaseDate = AppleDateFields()
    private var originalPurchaseDate = AppleDateFields()
    private var expiresDate = AppleDateFields()
    private var cancellationDate = AppleDateFields()
    private var cancellationReason: String?
    private var isIntroductory = false
    private var promotionalOfferId: String?
    private var offerCodeName: String?

    /// `nil` until one was read.
    var productId: String? { known.productId.isEmpty ? nil : known.productId }

    /// The transaction that the members make.
    ///
    /// Where Apple gives no original id, the transaction is its own original.
    func transaction() throws(JSONFault) -> Transaction {
        var transaction = known
        if transaction.originalTransactionId.isEmpty {
            transaction.originalTransactionId = transaction.transactionId ?? ""
        }
        if let promotionalOfferId {
            transaction.offer = .promotional(promotionalOfferId)
        } else if let offerCodeName {
            transaction.offer = .offerCode(offerCodeName)
        } else if isIntroductory {
            transaction.offer = .introductory
        }
        transaction.purchaseDate = try purchaseDate.value(named: ReceiptMember.purchaseDateText.rawValue)
        transaction.expiresDate = try expiresDate.value(named: ReceiptMember.expiresDateText.rawValue)
        transaction.revocationDate = try cancellationDate.value(named: ReceiptMember.cancellationDateText.rawValue)
        transaction.originalPurchaseDate = try originalPurchaseDate.value(
            named: ReceiptMember.originalPurchaseDateText.rawValue
        )
        transaction.revocation = Revocation(type: nil, reason: cancellationReason)
        // Nothing but the flag itself shows that there was no trial.
        transaction.isOfferSaid = transaction.isFree != nil || transaction.offer == .introductory
        return transaction
    }

    /// Reads one member; those that decisions do not need are passed by.
    mutating func read(_ member: ReceiptMember?, from reader: inout JSONReader) throws(JSONFault) {
        switch member {
        case .productId: known.productId = try reader.readAppleIdentifier() ?? ""
        case .originalTransactionId: known.originalTransactionId = try reader.readAppleIdentifier() ?? ""
        case .transactionId: known.transactionId = try reader.readAppleIdentifier()
        case .group: known.subscriptionGroupIdentifier = try reader.readAppleIdentifier()
        case .purchaseDate: purchaseDate.milliseconds = try reader.readAppleDate()
        case .purchaseDateText: try purchaseDate.readText(from: &reader)
        case .originalPurchaseDate: originalPurchaseDate.milliseconds = try reader.readAppleDate()
        case .originalPurchaseDateText: try originalPurchaseDate.readText(from: &reader)
        case .expiresDate: expiresDate.milliseconds = try reader.readAppleDate()
        case .expiresDateText: try expiresDate.readText(from: &reader)
        case .cancellationDate: cancellationDate.milliseconds = try reader.readAppleDate()
        case .cancellationDateText: try cancellationDate.readText(from: &reader)
        case .isUpgraded: known.isUpgraded = try reader.readAppleFlag() ?? false
        case .isTrialPeriod:
            guard let flag = try reader.readAppleFlag() else { return }
            isIntroductory = flag || isIntroductory
            known.isFree = flag
        case .isInIntroOfferPeriod: isIntroductory = try reader.readAppleFlag() ?? false || isIntroductory
        case .ownershipType:
            // Old answers lack it, and then the customer bought it; any text but Apple's does not say so.
            known.ownership = try reader.readOwnership() ?? .purchased
        case .cancellationReason: cancellationReason = try reader.readAppleText()
        case .webOrderLineItemId: known.webOrderLineItemId = try reader.readAppleIdentifier()
        case .promotionalOfferId: promotionalOfferId = try reader.readAppleIdentifier()
        case .offerCodeName: offerCodeName = try reader.readAppleIdentifier()
        case .appAccountToken: known.appAccountToken = try reader.readAppleAccountToken()
        case .bundleId, .oldBundleId, .receiptType, .requestDate, .requestDateText, .inApp, nil:
            try reader.skipValue()
        }
    }
}

extension Transaction {
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var fields = TransactionFields()
        try reader.readObject(ReceiptMember.table) { (member, reader) throws(JSONFault) in
            try fields.read(member, from: &reader)
        }
        self = try fields.transaction()
    }
}

/// The transactions of `latest_receipt_info` and of `receipt.in_app` (or of an iOS 6 style receipt) as one history.
///
/// Both lists name a transaction by its `transaction_id`. The receipt is a snapshot with fewer members, and Apple leaves
/// transactions out of either list: so neither of them may hide a purchase, a refund or a redemption that the other has.
struct JoinedTransactions {
    /// How many transactions are few.
    ///
    /// Of a few each is compared with each, which is the fastest; of many a dictionary is made.
    static let fewTransactions = 16

    /// All of them: first those of `latest_receipt_info`.
    private(set) var transactions: [Transaction]
    /// Whether the receipt has a paid period of a subscription that `latest_receipt_info` has without it: the answer to
    /// `exclude-old-transactions` has the newest transactions alone.
    private(set) var lacksPeriods = false

    init(_ latest: [Transaction], and receipt: [Transaction]) {
        transactions = latest
        guard !receipt.isEmpty else { return }
        let isIndexed = latest.count > Self.fewTransactions
        var places: [Name: Int] = [:]
        var periods: [String: Set<Timestamp?>] = [:]
        if isIndexed {
            for (index, transaction) in latest.enumerated() {
                places[Name(transaction)] = index
                periods[transaction.originalTransactionId, default: []].insert(transaction.expiresDate)
            }
        }
        for transaction in receipt {
            let name = Name(transaction)
            if let place = isIndexed ? places[name] : transactions.firstIndex(where: { Name($0) == name }) {
                transactions[place].join(transaction)
                continue
            }
            if isIndexed { places[name] = transactions.count }
            transactions.append(transaction)
            guard !lacksPeriods, let end = transaction.expiresDate else { continue }
            if isIndexed {
                lacksPeriods = periods[transaction.originalTransactionId].map { !$0.contains(end) } ?? false
            } else {
                let listed = latest.lazy.filter { $0.originalTransactionId == transaction.originalTransactionId }
                lacksPeriods = !listed.isEmpty && !listed.contains { $0.expiresDate == end }
            }
        }
    }

    /// Identifies a transaction in both lists: by its identifier, else by subscription and date.
    private struct Name: Hashable {
        let id: String
        let purchaseDate: Timestamp?

        init(_ transaction: Transaction) {
            id = transaction.transactionId ?? transaction.originalTransactionId
            purchaseDate = transaction.transactionId == nil ? transaction.purchaseDate : nil
        }
    }
}
