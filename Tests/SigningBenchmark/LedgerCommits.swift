import Dispatch
import Glibc
import Offers
import Storage

/// What it costs to have signatures on record: entries of one signature each, for customers who never come twice.
struct LedgerCommits {
    /// How many records are written between two looks at the clock.
    private static let round = 2048

    let ledger: Journal
    /// How many entries one commit holds.
    let batch: Int
    /// For how many customers a subscription may be presented; `nil` when that is not counted.
    let maximumAccounts: Int?

    /// Writes records until the time is over.
    ///
    /// - Parameter seconds: For how long; what it takes to make entries up is left out.
    /// - Returns: How many records, the seconds and the processor's seconds that they took.
    func write(for seconds: Double) -> (records: Int, seconds: Double, processorSeconds: Double) {
        write(entries())
        var total = (records: 0, seconds: 0.0, processorSeconds: 0.0)
        while total.seconds < seconds {
            let batches = entries()
            let (start, processorStart) = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
            write(batches)
            total.seconds += Self.now(CLOCK_MONOTONIC) - start
            total.processorSeconds += Self.now(CLOCK_PROCESS_CPUTIME_ID) - processorStart
            total.records += batches.count * batch
        }
        return total
    }

    private func entries() -> [[LedgerEntry]] {
        (0..<max(1, Self.round / batch)).map { _ in (0..<batch).map { _ in entry() } }
    }

    private func entry() -> LedgerEntry {
        let time = SigningBenchmark.wallClock()
        let account = Account.applicationUsername(String(UInt64.random(in: .min ... .max), radix: 36))
        let signature = OfferGrant.Signature(
            form: .discount,
            keyIdentifier: "EXAMPLE123",
            nonce: Nonce(),
            timestamp: time
        )
        let grant = OfferGrant(
            offer: OfferRequest(productId: SigningBenchmark.productId, offerId: SigningBenchmark.offerId),
            reason: "lapsed",
            originalTransactionId: "\(UInt64.random(in: 220_000_000_000_000..<230_000_000_000_000))",
            signatures: [signature],
            maximumAccounts: maximumAccounts
        )
        return LedgerEntry(
            time: time,
            client: "benchmark",
            bundleId: SigningBenchmark.bundleId,
            environment: .production,
            evidence: .receiptResponse,
            account: account,
            customer: account.customer(by: nil),
            grants: [grant]
        )
    }

    private func write(_ batches: [[LedgerEntry]]) {
        let news = DispatchSemaphore(value: 0)
        for entries in batches {
            ledger.append(entries) { _, result in
                guard case .success(let outcomes) = result, outcomes.allSatisfy({ $0 == [.recorded] }) else {
                    print("error: a signature is not on record: \(result)")
                    exit(1)
                }
                news.signal()
            }
            news.wait()
        }
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
