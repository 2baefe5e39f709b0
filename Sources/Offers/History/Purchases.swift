extension Transaction {
    /// Whether the customer bought a period of a subscription by it: no other counts as a trial or a redemption.
    var isOwnPurchase: Bool { ownership == .purchased && kind == .subscription }

    /// Whether both are copies of one purchase: a restore gives it another identifier, and seats that are added within
    /// a period have a transaction of their own.
    func isSamePurchase(as other: Transaction) -> Bool {
        let own = PurchaseSign.all(of: self).own
        return PurchaseSign.all(of: other).copies.contains(where: own.contains)
    }

    /// Takes from another copy of it what it does not say itself, but for the owner, the offer and a revocation.
    ///
    /// VerifyReceipt never says as much as Apple's signed data.
    mutating func complete(by copy: Transaction) {
        expiresDate = expiresDate ?? copy.expiresDate
        price = price ?? copy.price
        storefront = storefront ?? copy.storefront
        reason = reason ?? copy.reason
        billingPlan = billingPlan ?? copy.billingPlan
        isOfferSaid = isOfferSaid || copy.isOfferSaid
        isFree = isFree(or: copy)
        isPaidUpFront = isPaidUpFront || copy.isPaidUpFront
        webOrderLineItemId = webOrderLineItemId ?? copy.webOrderLineItemId
        previousOriginalTransactionId = previousOriginalTransactionId ?? copy.previousOriginalTransactionId
        appTransactionId = appTransactionId ?? copy.appTransactionId
        originalPurchaseDate = originalPurchaseDate ?? copy.originalPurchaseDate
        bundle = bundle ?? copy.bundle
    }

    /// Completes a purchase by another copy of it.
    fileprivate mutating func joinCopy(_ copy: Transaction) {
        if offer?.catalogId == nil { offer = copy.offer ?? offer }
        // A refund of added seats is none of the purchase.
        guard isAddition || !copy.isAddition else { return }
        complete(by: copy)
        revocationDate = revocationDate ?? copy.revocationDate
        revocation = revocation ?? copy.revocation
    }
}

extension Sequence<Transaction> {
    /// The purchases of a customer's own, the oldest first, each once however many copies there are.
    var ownPurchases: [Transaction] {
        let all = filter(\.isOwnPurchase)
        guard all.count > 1 else { return all }
        // Indices avoid copies: copying a transaction takes longer than looking at it.
        let order = all.indices.sorted { Transaction.isOlder(all[$0], all[$1]) }
        var purchases: [Transaction] = []
        var places: [PurchaseSign: Int] = [:]
        for index in order {
            let (own, copies) = PurchaseSign.all(of: all[index])
            let place = copies.lazy.compactMap { places[$0] }.min() ?? purchases.count
            if place == purchases.count {
                purchases.append(all[index])
            } else {
                purchases[place].joinCopy(all[index])
            }
            for sign in own where places[sign] == nil { places[sign] = place }
        }
        return purchases
    }
}

/// A sign by which copies of one purchase are known.
private enum PurchaseSign: Hashable {
    case transaction(String, of: String)
    case webOrderLineItem(String)
    case period(product: String, of: String, from: Timestamp, to: Timestamp?)
    /// Seats that are added belong to the period that ends when they do.
    case end(Timestamp, of: String, isAddition: Bool)
    /// Old answers may lack the transaction's identifier: its date stands for it.
    case date(Timestamp?, of: String, isNamed: Bool)

    /// The signs of a transaction, and the signs that mark a copy of it.
    static func all(of transaction: Transaction) -> (own: [PurchaseSign], copies: [PurchaseSign]) {
        let id = transaction.originalTransactionId
        var own: [PurchaseSign] = []
        if let item = transaction.webOrderLineItemId { own.append(.webOrderLineItem(item)) }
        if let date = transaction.purchaseDate {
            own.append(.period(product: transaction.productId, of: id, from: date, to: transaction.expiresDate))
        }
        if let name = transaction.transactionId { own.append(.transaction(name, of: id)) }
        var copies = own
        let isNamed = transaction.transactionId != nil
        own.append(.date(transaction.purchaseDate, of: id, isNamed: isNamed))
        copies.append(.date(transaction.purchaseDate, of: id, isNamed: false))
        if !isNamed { copies.append(.date(transaction.purchaseDate, of: id, isNamed: true)) }
        if let end = transaction.expiresDate {
            own.append(.end(end, of: id, isAddition: transaction.isAddition))
            copies.append(.end(end, of: id, isAddition: true))
            if transaction.isAddition { copies.append(.end(end, of: id, isAddition: false)) }
        }
        return (own, copies)
    }
}
