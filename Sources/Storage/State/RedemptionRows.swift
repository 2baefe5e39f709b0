import Offers

extension Session {
    /// Writes the redemptions of subscriptions anew, each with the signature that made it possible.
    ///
    /// In a transaction that has the row of ``LockRows/redemptions``: one service at a time does it, so that no signature is
    /// found for two redemptions.
    /// Redemptions that are older than they are stored for are left out.
    func putRedemptions(
        of subscriptions: [Chapter],
        at now: Timestamp,
        since oldest: Timestamp?,
        _ digestKey: DigestKey
    ) throws(StorageFailure) {
        guard !subscriptions.isEmpty else { return }
        let sorted = subscriptions.sorted { $0.identity.isBefore($1.identity) }
        let subscriptions = sorted.filter { $0.continuation == nil } + sorted.filter { $0.continuation != nil }
        let deleted = try run(subscriptions.map { $0.identity.call(RedemptionSQL.delete) })
        for (held, rows) in zip(subscriptions, deleted) {
            var places = try FeedPlaces(rows)
            var presented: [AccountDigest] = []
            for rows in try run(held.identities.map { $0.call(RedemptionSQL.presentedFor) }) {
                for row in rows.rows { presented.append(AccountDigest(try rows.bytes(row, 0))) }
            }
            var match = RedemptionMatch(held, presentedFor: presented, digestKey: digestKey)
            let questions = match.questions.map { SQLCall(RedemptionSQL.anySignature, .bytes($0.customer)) }
            match.filterQuestions(by: try run(questions).map { $0.count > 0 })
            let redemptions = held.redemptions
            for (redemption, known) in zip(redemptions, places.removePlaces(of: redemptions)) {
                var place = known
                if let oldest, let date = redemption.redeemedAt, date < oldest { continue }
                if let continuation = held.continuation, continuation.transactionId == redemption.transactionId {
                    let earlier = held.identities.dropFirst().map {
                        $0.call(RedemptionSQL.ofOffer, [.text(redemption.offerId)])
                    }
                    if try run(Array(earlier)).contains(where: { $0.count > 0 }) { continue }
                }
                if let item = redemption.webOrderLineItemId {
                    let copies = try run(held.identity.call(RedemptionSQL.copy, [.text(item)]))
                    guard copies.count == 0 else { continue }
                    let others = try run(held.identity.call(RedemptionSQL.deleteCopies, [.text(item)]))
                    if place == nil, others.count > 0, let position = try others.optionalInteger(0, 0) {
                        place = FeedPlace(position: position, storedAt: try others.optionalInteger(0, 1))
                    }
                }
                let signature = try signature(behind: redemption, of: held.identity, by: match)
                if place == nil {
                    let position = try run(RedemptionFeedSQL.next).integer(0, 0)
                    place = FeedPlace(position: position, storedAt: now.millisecondsSince1970)
                }
                if let place { try run(held.identity.insertion(of: redemption, signed: signature, at: place)) }
            }
        }
    }

    private func signature(
        behind redemption: OfferRedemption,
        of identity: SubscriptionIdentity,
        by match: RedemptionMatch
    ) throws(StorageFailure) -> RedemptionMatch.Signature? {
        for span in RedemptionMatch.spans(of: redemption) {
            let answers = try run(
                match.questions.map { question in
                    let id = question.originalTransactionId
                    let sql = RedemptionSQL.signature(span.which, ofSubscription: id != nil)
                    let values: [SQLValue] = [
                        .bytes(question.customer), .text(redemption.productId), .text(redemption.offerId),
                        .integer(span.start), .integer(span.end), .text(identity.bundleId),
                        .text(identity.environment.rawValue),
                    ]
                    return SQLCall(sql, values + (id.map { [.text($0)] } ?? []))
                }
            )
            var found: [RedemptionMatch.Signature] = []
            for rows in answers where rows.count > 0 {
                found.append(
                    RedemptionMatch.Signature(
                        writer: try rows.text(0, 0),
                        number: try rows.integer(0, 1),
                        time: try rows.integer(0, 2)
                    )
                )
            }
            if let signature = RedemptionMatch.pick(span.which, of: found) { return signature }
        }
        return nil
    }
}

extension SubscriptionIdentity {
    fileprivate func isBefore(_ other: SubscriptionIdentity) -> Bool {
        (bundleId, originalTransactionId) < (other.bundleId, other.originalTransactionId)
    }

    fileprivate func insertion(
        of redemption: OfferRedemption,
        signed: RedemptionMatch.Signature?,
        at place: FeedPlace
    ) -> SQLCall {
        call(
            RedemptionSQL.put,
            [
                .text(RedemptionKey.text(of: redemption)), .text(redemption.productId), .text(redemption.offerId),
                SQLValue(redemption.redeemedAt),
                SQLValue(redemption.price?.milliunits),
                SQLValue(redemption.price?.currency),
                SQLValue(redemption.storefront),
                SQLValue(signed?.writer), SQLValue(signed?.number), SQLValue(redemption.webOrderLineItemId),
                .text(redemption.begins.rawValue), .text(redemption.source.rawValue), .integer(place.position),
                SQLValue(place.storedAt),
                .integer(redemption.isRetention ? 1 : 0),
            ]
        )
    }
}
