import Offers
import StrictJSON

/// The members of a transaction in a verifyReceipt answer, collected one by one in whatever order they come.
struct TransactionFields {
    /// `product_id`.
    private(set) var productId: String?
    private var originalTransactionId: String?
    private var transactionId: String?
    private var group: String?
    private var purchaseDate = AppleDateFields()
    private var expiresDate = AppleDateFields()
    private var cancellationDate = AppleDateFields()
    private var isUpgraded = false
    private var isFamilyShared = false
    private var isIntroductory = false
    private var isOfferSaid = false
    private var promotionalOfferId: String?
    private var offerCodeName: String?
    private var appAccountToken: AppAccountToken?

    /// The transaction that the members make.
    ///
    /// Where Apple gives no original id, the transaction is its own original.
    ///
    /// - Returns: The transaction.
    /// - Throws: `JSONFault` when a date cannot be read.
    func transaction() throws(JSONFault) -> Transaction {
        var offer: RedeemedOffer?
        if let promotionalOfferId {
            offer = .promotional(promotionalOfferId)
        } else if let offerCodeName {
            offer = .offerCode(offerCodeName)
        } else if isIntroductory {
            offer = .introductory
        }
        var transaction = Transaction(
            originalTransactionId: originalTransactionId ?? transactionId ?? "",
            productId: productId ?? "",
            subscriptionGroupIdentifier: group,
            purchaseDate: try purchaseDate.value(named: ReceiptMember.purchaseDateText.rawValue),
            expiresDate: try expiresDate.value(named: ReceiptMember.expiresDateText.rawValue),
            revocationDate: try cancellationDate.value(named: ReceiptMember.cancellationDateText.rawValue),
            isUpgraded: isUpgraded,
            isFamilyShared: isFamilyShared,
            appAccountToken: appAccountToken,
            offer: offer,
            transactionId: transactionId
        )
        transaction.isOfferSaid = isOfferSaid || offer != nil
        return transaction
    }

    /// Reads one member; those that decisions do not need are passed by.
    ///
    /// - Parameters:
    ///   - member: The member; `nil` for one that does not count.
    ///   - reader: The reader, at the member's value.
    /// - Throws: `JSONFault` when a member that counts cannot be read.
    mutating func read(_ member: ReceiptMember?, from reader: inout JSONReader) throws(JSONFault) {
        switch member {
        case .productId: productId = try reader.readAppleIdentifier()
        case .originalTransactionId: originalTransactionId = try reader.readAppleIdentifier()
        case .transactionId: transactionId = try reader.readAppleIdentifier()
        case .group: group = try reader.readAppleIdentifier()
        case .purchaseDate: purchaseDate.milliseconds = try reader.readAppleDate()
        case .purchaseDateText: try purchaseDate.readText(from: &reader)
        case .expiresDate: expiresDate.milliseconds = try reader.readAppleDate()
        case .expiresDateText: try expiresDate.readText(from: &reader)
        case .cancellationDate: cancellationDate.milliseconds = try reader.readAppleDate()
        case .cancellationDateText: try cancellationDate.readText(from: &reader)
        case .isUpgraded: isUpgraded = try reader.readAppleFlag() ?? false
        case .isTrialPeriod, .isInIntroOfferPeriod:
            guard let flag = try reader.readAppleFlag() else { return }
            isIntroductory = flag || isIntroductory
            isOfferSaid = true
        case .ownershipType: isFamilyShared = try reader.readAppleText() == "FAMILY_SHARED"
        case .promotionalOfferId: promotionalOfferId = try reader.readAppleIdentifier()
        case .offerCodeName: offerCodeName = try reader.readAppleIdentifier()
        case .appAccountToken: appAccountToken = try reader.readAppleAccountToken()
        case .bundleId, .oldBundleId, .receiptType, .requestDate, .requestDateText, .inApp, nil:
            try reader.skipValue()
        }
    }
}

extension Transaction {
    /// Reads an element of `latest_receipt_info` or `in_app`.
    ///
    /// - Parameter reader: The reader, at the element.
    /// - Throws: `JSONFault` when a member that counts cannot be read.
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var fields = TransactionFields()
        try reader.readObject(ReceiptMember.table) { (member, reader) throws(JSONFault) in
            try fields.read(member, from: &reader)
        }
        self = try fields.transaction()
    }
}
