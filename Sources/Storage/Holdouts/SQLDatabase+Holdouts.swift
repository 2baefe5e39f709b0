import Dispatch
package import Offers

extension SQLDatabase {
    /// The customers of each holdout in an environment, and how many of them have bought since.
    ///
    /// All are read, some at a time: of a large table it takes time, and no memory.
    package func holdoutArms(
        in environment: AppStoreEnvironment
    ) async throws(StorageFailure) -> [HoldoutName: HoldoutArms] {
        try await DispatchQueue.global(qos: .utility).perform { () throws(StorageFailure) in
            try readHoldoutArms(in: environment)
        }
    }

    private func readHoldoutArms(
        in environment: AppStoreEnvironment
    ) throws(StorageFailure) -> [HoldoutName: HoldoutArms] {
        var all: [HoldoutName: HoldoutArms] = [:]
        var last: (customer: [UInt8], name: String) = ([], "")
        while true {
            let values: [SQLValue] = [.text(environment.rawValue), .bytes(last.customer), .text(last.name)]
            let rows = try read { session throws(StorageFailure) in
                try session.run(SQLCall(HoldoutSQL.page, values))
            }
            guard rows.count > 0 else { return all }
            // A customer's rows come together, one for each subscription.
            var (isBuyer, isGiven) = (false, false)
            for row in rows.rows {
                let next = (customer: try rows.bytes(row, 0), name: try rows.text(row, 1))
                let holdout = HoldoutName(bundleId: try rows.text(row, 2), name: next.name)
                let arm: WritableKeyPath<HoldoutArms, HoldoutComparison.Arm> =
                    try rows.integer(row, 3) == 1 ? \.heldOut : \.offered
                if next != last {
                    all[holdout, default: HoldoutArms()][keyPath: arm].customers += 1
                    (isBuyer, isGiven) = (false, false)
                }
                last = next
                if !isGiven, try rows.integer(row, 7) == 1 {
                    isGiven = true
                    all[holdout]?[keyPath: arm].givenByApple += 1
                }
                guard !isBuyer, let held = try rows.subscription(row, of: holdout.bundleId, in: environment) else {
                    continue
                }
                isBuyer = held.isPaid(after: try rows.time(row, 4))
                if isBuyer { all[holdout]?[keyPath: arm].buyers += 1 }
            }
        }
    }
}

extension Rows {
    /// `nil` where nothing is held of it.
    fileprivate func subscription(
        _ row: Int,
        of bundleId: String,
        in environment: AppStoreEnvironment
    ) throws(StorageFailure) -> Chapter? {
        guard let id = try optionalText(row, 5), let body = try optionalBytes(row, 6) else { return nil }
        let identity = SubscriptionIdentity(
            bundleId: bundleId,
            environment: environment,
            originalTransactionId: id
        )
        return try Chapter(identity, bytes: body)
    }
}
