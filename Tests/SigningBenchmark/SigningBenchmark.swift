import AppStore
import AppStoreSimulator
import Glibc
import OfferAPI
import OfferService
import Offers
import Storage
import SubscriptionKeys

/// Measures the stages of the service without HTTP, on one thread, as `make bench` wants it.
///
///     SigningBenchmark KEY.p8 key-room|pipeline SECONDS OFFERS
///     SigningBenchmark KEY.p8 customers SECONDS OFFERS [LEDGER.sqlite]
///     SigningBenchmark KEY.p8 ledger|presented SECONDS BATCH LEDGER.sqlite
///
/// `key-room` signs payloads, `pipeline` goes from the bytes of a request to the bytes of its answer: reading, evidence,
/// decision, signature, writing. `customers` does the same for thousands of customers in turn, 64 of them at a time, and
/// gives their answers out once a ledger has them, where one is named. `ledger` signs nothing and records signatures, so
/// many in each commit; `presented` also counts for whom their evidence is presented. Prints one line of JSON, and exits
/// with 1 when a signature was missing.
@main
struct SigningBenchmark {
    static let bundleId = "com.example.reader"
    static let productId = "com.example.reader.pro.monthly"
    static let offerId = "comeback50"

    static func main() {
        let arguments = CommandLine.arguments
        guard (5...6).contains(arguments.count), let seconds = Double(arguments[3]), seconds > 0,
            let offers = Int(arguments[4]),
            (1...100).contains(offers)
        else {
            print("usage: SigningBenchmark KEY.p8 key-room|pipeline|customers|ledger|presented SECONDS OFFERS [LEDGER]")
            exit(64)
        }
        do {
            try ProcessProtection.enable()
            try SecureHeap.initialize()
            let key = try SigningKey(contentsOf: arguments[1], keyIdentifier: "EXAMPLE123")
            switch arguments[2] {
            case "key-room": try measure(for: seconds, each: 100) { try sign(with: key) }
            case "customers":
                let ledger = try arguments.count == 6 ? openLedger(arguments[5], key) : nil
                let customers = Customers(service: service(key), offers: offers, ledger: ledger)
                try measure(for: seconds, each: offers * Customers.atOnce) { try customers.serve() }
                ledger?.close()
            case "ledger", "presented":
                guard arguments.count == 6 else { exit(64) }
                let ledger = try openLedger(arguments[5], key)
                let isCounted = arguments[2] == "presented"
                let commits = LedgerCommits(ledger: ledger, batch: offers, maximumAccounts: isCounted ? 3 : nil)
                let (records, elapsed, processor) = commits.write(for: seconds)
                ledger.close()
                printResult(records, elapsed, processor)
            default: try measure(for: seconds, each: offers, pipeline(key, offers: offers))
            }
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    /// A hundred payloads of an offer, made and signed.
    private static func sign(with key: SigningKey) throws -> Int {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 180)
        var signatures = 0
        for _ in 0..<100 where try !key.derSignature(over: payload.span).isEmpty { signatures += 1 }
        return signatures
    }

    private static func openLedger(_ path: String, _ key: SigningKey) throws -> Journal {
        // The same in every run: with another key, customers would be others, who share their evidence with those before.
        guard let digestKey = DigestKey(bytes: [UInt8](repeating: 7, count: 32)) else { exit(1) }
        return Journal(
            in: try SQLiteDatabase(path: path),
            keys: try LedgerKeys(digestKey: digestKey, checkpointSigner: key, checkpointKeySPKI: key.publicKeySPKI),
            isClockRight: { true },
            now: wallClock
        )
    }

    @Sendable
    static func wallClock() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The body of a request for a lapsed customer's offers, with a verifyReceipt answer of now.
    static func body(offers: Int, of originalTransactionId: Int64 = 220_000_000_000_001) -> [UInt8] {
        let customer = MadeUpCustomer(
            originalTransactionId,
            of: bundleId,
            productId: productId,
            .lapsed,
            atMilliseconds: wallClock().millisecondsSince1970
        )
        let offer = #"{"productId":"\#(productId)","offerId":"\#(offerId)"}"#
        let offers = Array(repeating: offer, count: offers).joined(separator: ",")
        // In hexadecimal, the numbers have the last part's twelve digits.
        let account = "00000000-0000-8000-8000-" + String(originalTransactionId, radix: 16)
        let evidence = #"{"receiptResponse":\#(String(decoding: customer.receiptResponse, as: UTF8.self))}"#
        let members = #""appAccountToken":"\#(account)","offers":[\#(offers)],"evidence":\#(evidence)"#
        return Array(#"{"bundleId":"\#(bundleId)",\#(members)}"#.utf8)
    }

    /// Who asks.
    static let client = Client(
        name: "benchmark",
        tokenSHA256: [],
        apps: [bundleId],
        evidence: Set(EvidenceKind.allCases)
    )

    private static func service(_ key: SigningKey) -> SignOffers {
        let offer = PromotionalOffer(id: offerId) {
            $0.audience = [.lapsed]
            $0.maxRedemptions = 1
        }
        let group = SubscriptionGroup(id: "20900001", products: [Product(id: productId, offers: [offer])])
        return SignOffers(
            apps: [SigningApp(app: App(bundleId: bundleId, subscriptionGroups: [group]), signer: GuardedSigner(key))],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86_400,
            now: wallClock
        )
    }

    /// One request, from its bytes to the answer's.
    private static func pipeline(_ key: SigningKey, offers: Int) -> () throws -> Int {
        let service = service(key)
        let body = body(offers: offers)
        return {
            let request = try CustomerRequest(json: body, of: .signatures, from: client)
            // The ledger is left out, too: it takes all.
            guard case .now(let decided) = try service.decide(request),
                case .now(let prepared) = try service.sign(decided)
            else { return 0 }
            let outcomes = prepared.entry?.grants.map { _ in GrantOutcome.recorded } ?? []
            let answer = service.release(prepared, by: outcomes)
            return answer.json.isEmpty ? 0 : answer.decisions.count { $0.discount != nil }
        }
    }

    private static func measure(for seconds: Double, each expected: Int, _ work: () throws -> Int) throws {
        for _ in 0..<100 { _ = try work() }
        let start = now(CLOCK_MONOTONIC)
        let processorStart = now(CLOCK_PROCESS_CPUTIME_ID)
        var signatures = 0
        while now(CLOCK_MONOTONIC) - start < seconds {
            for _ in 0..<10 {
                let signed = try work()
                guard signed == expected else {
                    print("error: \(signed) signatures instead of \(expected)")
                    exit(1)
                }
                signatures += signed
            }
        }
        let processor = now(CLOCK_PROCESS_CPUTIME_ID) - processorStart
        let elapsed = now(CLOCK_MONOTONIC) - start
        printResult(signatures, elapsed, processor)
    }

    private static func printResult(_ signatures: Int, _ elapsed: Double, _ processor: Double) {
        print("{\"signatures\": \(signatures), \"seconds\": \(elapsed), \"processorSeconds\": \(processor)}")
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
