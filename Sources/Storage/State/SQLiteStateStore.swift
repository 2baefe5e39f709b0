import Dispatch
import Foundation
import GRDB
import Offers
import StrictJSON

/// Held state in an SQLite file.
struct SQLiteStateStore: StateStore {
    private let database: SQLiteDatabase
    private let digestKey: DigestKey

    /// Uses a file.
    ///
    /// - Parameters:
    ///   - database: The file.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    init(_ database: SQLiteDatabase, digestKey: DigestKey) {
        self.database = database
        self.digestKey = digestKey
    }

    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        // SQLite blocks: never a thread that tasks run on.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { () throws(StorageFailure) in try read(question) })
            }
        }
        return try result.get()
    }

    private func read(_ question: StateQuestion) throws(StorageFailure) -> HeldState {
        try database.read { database in
            var identities = Set(question.subscriptions)
            var marks: [AccountHistoryMark] = []
            if let account = question.account {
                identities.formUnion(try database.subscriptions(of: account, in: question.bundleId))
                marks = try database.marks(of: account, in: question.bundleId)
            }
            return HeldState(subscriptions: try identities.compactMap { try database.held($0) }, marks: marks)
        }
    }

    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        try database.write { database in
            let generation = try database.generation()
            return try works.map { work in
                guard work.isDue(in: generation) else { return false }
                if let notification = work.notification {
                    guard try database.insert(notification) else { return false }
                }
                for learnt in work.lesson.subscriptions { try database.learn(learnt, digestKey) }
                if let mark = work.lesson.mark { try database.learn(mark) }
                return true
            }
        }
    }

    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int {
        try database.write { database in
            try database.execute(sql: StateSQL.nextGeneration)
            try database.execute(sql: StateSQL.deleteMarks, arguments: [Data(account.bytes)])
            let identities = try Row.fetchAll(
                database,
                sql: StateSQL.ofAccountEverywhere,
                arguments: [Data(account.bytes)]
            ).compactMap { row in try SubscriptionIdentity(row, bundleId: row.value("bundle_id")) }
            for identity in identities { try database.forget(account, of: identity) }
            return identities.count
        }
    }

    func generation() throws(StorageFailure) -> Int64 {
        try database.read { try $0.generation() }
    }

    func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
        try database.write { database in
            try database.execute(sql: StateSQL.deleteNotifications, arguments: [limit.millisecondsSince1970])
        }
    }

    func count() throws(StorageFailure) -> Int {
        try database.read { try Int.fetchOne($0, sql: StateSQL.subscriptionCount) ?? 0 }
    }
}

extension Database {
    fileprivate func generation() throws -> Int64 {
        try Int64.fetchOne(cachedStatement(sql: StateSQL.generation)) ?? 0
    }

    fileprivate func held(_ identity: SubscriptionIdentity) throws -> HeldSubscription? {
        let statement = try cachedStatement(sql: StateSQL.subscription)
        guard let body = try String.fetchOne(statement, arguments: identity.arguments) else { return nil }
        do {
            return try HeldSubscription(identity, json: Array(body.utf8))
        } catch {
            throw StorageFailure(.malformed, "the state of a subscription cannot be read: \(error.detail)")
        }
    }

    fileprivate func subscriptions(of account: AccountDigest, in bundleId: String) throws -> [SubscriptionIdentity] {
        let statement = try cachedStatement(sql: StateSQL.ofAccount)
        return try Row.fetchAll(statement, arguments: [Data(account.bytes), bundleId])
            .compactMap { try SubscriptionIdentity($0, bundleId: bundleId) }
    }

    fileprivate func marks(of account: AccountDigest, in bundleId: String) throws -> [AccountHistoryMark] {
        let statement = try cachedStatement(sql: StateSQL.marks)
        return try Row.fetchAll(statement, arguments: [Data(account.bytes), bundleId]).compactMap { row in
            guard let environment = AppStoreEnvironment(rawValue: try row.value("environment")),
                let source = StateSource(rawValue: try row.value("source"))
            else { return nil }
            return AccountHistoryMark(
                account: account,
                bundleId: bundleId,
                environment: environment,
                asOf: Timestamp(millisecondsSince1970: try row.value("as_of")),
                source: source
            )
        }
    }

    fileprivate func insert(_ notification: NotificationRecord) throws -> Bool {
        try cachedStatement(sql: StateSQL.putNotification).execute(
            arguments: [
                notification.id, notification.type, notification.subtype, notification.bundleId,
                notification.environment.rawValue, notification.signedDate.millisecondsSince1970,
                notification.receivedAt.millisecondsSince1970,
            ]
        )
        return changesCount > 0
    }

    fileprivate func learn(_ learnt: HeldSubscription, _ digestKey: DigestKey) throws {
        let before = try held(learnt.identity)
        var held = before ?? learnt
        held.merge(learnt)
        guard held != before else { return }
        try put(held)
        let names = held.identity.arguments
        for account in held.accounts.keys where before?.accounts[account] == nil {
            try cachedStatement(sql: StateSQL.putAccount).execute(arguments: [Data(account.bytes)] + names)
        }
        for account in held.accountsLetGo(since: before) {
            try cachedStatement(sql: StateSQL.deleteAccount).execute(arguments: [Data(account.bytes)] + names)
            try cachedStatement(sql: StateSQL.deleteMark).execute(
                arguments: [Data(account.bytes), held.identity.bundleId, held.identity.environment.rawValue]
            )
        }
        guard RedemptionMatch.isDue(held, since: before) else { return }
        try cachedStatement(sql: RedemptionSQL.delete).execute(arguments: names)
        var match = RedemptionMatch(held, digestKey: digestKey)
        let anySignature = try cachedStatement(sql: RedemptionSQL.anySignature)
        match.keep(try match.questions.map { try Row.fetchOne(anySignature, arguments: [Data($0.customer)]) != nil })
        for redemption in held.redemptions {
            let signature = try signature(behind: redemption, of: held.identity, by: match)
            try cachedStatement(sql: RedemptionSQL.put).execute(
                arguments: names + [
                    redemption.transactionId ?? "", redemption.productId, redemption.offerId,
                    redemption.purchaseDate?.millisecondsSince1970, redemption.price?.milliunits,
                    redemption.price?.currency, redemption.storefront, signature?.writer, signature?.number,
                ]
            )
        }
    }

    private func signature(
        behind redemption: OfferRedemption,
        of identity: SubscriptionIdentity,
        by match: RedemptionMatch
    ) throws -> RedemptionMatch.Signature? {
        for span in RedemptionMatch.spans(of: redemption) {
            let found = try match.questions.compactMap { question in
                let id = question.originalTransactionId
                let sql = RedemptionSQL.signature(span.which, ofSubscription: id != nil)
                var arguments: StatementArguments = [
                    Data(question.customer), redemption.productId, redemption.offerId, span.start, span.end,
                    identity.bundleId, identity.environment.rawValue,
                ]
                if let id { arguments += [id] }
                return try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments).map { row in
                    RedemptionMatch.Signature(
                        writer: try row.value("writer"),
                        number: try row.value("number"),
                        time: try row.value("time")
                    )
                }
            }
            if let signature = RedemptionMatch.pick(span.which, of: found) { return signature }
        }
        return nil
    }

    fileprivate func learn(_ mark: AccountHistoryMark) throws {
        let others = try marks(of: mark.account, in: mark.bundleId)
        guard let counts = mark.put(into: others).first(where: { $0.environment == mark.environment }) else { return }
        try cachedStatement(sql: StateSQL.putMark).execute(
            arguments: [
                Data(mark.account.bytes), mark.bundleId, mark.environment.rawValue,
                counts.told.asOf.millisecondsSince1970, counts.told.source.rawValue,
            ]
        )
    }

    fileprivate func forget(_ account: AccountDigest, of identity: SubscriptionIdentity) throws {
        let names = identity.arguments
        if let rest = try held(identity)?.forgetting(account) {
            try put(rest)
            try execute(sql: StateSQL.deleteAccount, arguments: [Data(account.bytes)] + names)
            return
        }
        let accounts = try Data.fetchAll(self, sql: StateSQL.accountsOf, arguments: names)
        for account in accounts { try execute(sql: StateSQL.deleteAccount, arguments: [account] + names) }
        try execute(sql: RedemptionSQL.delete, arguments: names)
        try execute(sql: StateSQL.deleteSubscription, arguments: names)
    }

    private func put(_ held: HeldSubscription) throws {
        try cachedStatement(sql: StateSQL.putSubscription).execute(
            arguments: held.identity.arguments + [
                String(decoding: held.json, as: UTF8.self), held.learntAt.millisecondsSince1970,
            ]
        )
    }
}

extension SubscriptionIdentity {
    fileprivate var arguments: StatementArguments { [bundleId, environment.rawValue, originalTransactionId] }

    /// Reads environment and identifier from a row; `nil` for an environment that a newer version knows.
    fileprivate init?(_ row: Row, bundleId: String) throws {
        guard let environment = AppStoreEnvironment(rawValue: try row.value("environment")) else { return nil }
        self.init(
            bundleId: bundleId,
            environment: environment,
            originalTransactionId: try row.value("original_transaction_id")
        )
    }
}
