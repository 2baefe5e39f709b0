import Crypto
import FoundationEssentials
import Offers

/// A call whose answer is kept, as the database knows it.
///
/// An answer to Apple is kept as it is. One to a client has signatures and an account: its row has a digest for a name, and
/// is sealed with AES-GCM (NIST SP 800-38D), by a key that only who has the digest key, the client's name and the
/// `Idempotency-Key` can make. The time and the customer of the row are sealed in with it, so that nobody else can move
/// them.
struct AskedCall: Sendable {
    /// The key of the row.
    struct Place: Hashable, Sendable {
        let requestId: String
        let bundleId: String
        let environment: String
        let originalTransactionId: String

        var values: [SQLValue] {
            [.text(requestId), .text(bundleId), .text(environment), .text(originalTransactionId)]
        }

        /// What its lock stands for.
        var bytes: [UInt8] { CanonicalBytes("offer-signer answered call 1", values).bytes }
    }

    /// A row to write.
    struct Row: Sendable {
        let place: Place
        let time: Timestamp
        /// The customer, by whose digest the answer is forgotten; `nil` where nobody is known.
        let customer: [UInt8]?
        let body: [UInt8]

        var values: [SQLValue] { place.values + content }
        /// As ``LedgerSQL/storedAnswer`` gives it.
        var content: [SQLValue] { [.time(time), SQLValue(customer), .bytes(body)] }
    }

    /// An answer that is on record, and the digest of the request that it is to; `nil` of Apple's.
    struct Known: Sendable {
        let body: [UInt8]
        let request: [UInt8]?
    }

    /// `nil` of Apple's.
    private struct Seal: Sendable {
        let key: SymmetricKey
        let request: [UInt8]
    }

    let place: Place
    /// The moment after which an answer counts, in milliseconds since 1970.
    let start: Int64
    private let seal: Seal?

    init(_ call: AnsweredCall, at now: Timestamp, digestKey: DigestKey) {
        start = now.adding(seconds: -KeptAnswer.lifetimeSeconds).millisecondsSince1970
        switch call {
        case .retention(let call):
            place = Place(
                requestId: call.requestIdentifier,
                bundleId: call.subscription.bundleId,
                environment: call.subscription.environment.rawValue,
                originalTransactionId: call.subscription.originalTransactionId
            )
            seal = nil
        case .client(let call):
            let (name, key) = digestKey.answer(to: call)
            // No call of Apple's is about an app without a name.
            place = Place(requestId: name, bundleId: "", environment: "", originalTransactionId: "")
            seal = Seal(key: key, request: call.request)
        }
    }

    /// Whether somebody waits for it for a short time alone.
    var isUrgent: Bool { seal == nil }

    var lookUp: SQLCall { SQLCall(LedgerSQL.storedAnswer, place.values + [.integer(start)]) }

    func known(_ body: [UInt8]) -> Known { Known(body: body, request: seal?.request) }

    /// The outcome of the call where an answer is on record.
    func outcome(of known: Known) -> GrantOutcome {
        known.request == seal?.request ? .answered(known.body) : .keyReused
    }

    /// The row of an answer.
    func row(_ body: [UInt8], to customer: [UInt8]?, at time: Timestamp) throws(StorageFailure) -> Row {
        guard let seal else { return Row(place: place, time: time, customer: customer, body: body) }
        let sides = sides(time: time, customer: customer)
        let box = try? AES.GCM.seal(seal.request + body, using: seal.key, authenticating: sides)
        guard let sealed = box?.combined else { throw StorageFailure(.unavailable, "an answer could not be sealed") }
        return Row(place: place, time: time, customer: customer, body: Array(sealed))
    }

    /// The answer in rows of ``LedgerSQL/storedAnswer``; `nil` where there is none, and it throws where somebody changed it.
    func known(_ rows: Rows) throws(StorageFailure) -> Known? {
        guard rows.count > 0 else { return nil }
        let body = try rows.bytes(0, 2)
        guard let seal else { return Known(body: body, request: nil) }
        let sides = sides(time: try rows.time(0, 0), customer: try rows.optionalBytes(0, 1))
        guard let box = try? AES.GCM.SealedBox(combined: body),
            let opened = try? AES.GCM.open(box, using: seal.key, authenticating: sides)
        else { throw StorageFailure(.malformed, "an answer that was kept for a client was changed by somebody") }
        let (request, answer) = (opened.prefix(seal.request.count), opened.dropFirst(seal.request.count))
        return Known(body: Array(answer), request: Array(request))
    }

    /// The data that is authenticated with the answer, and not sealed.
    private func sides(time: Timestamp, customer: [UInt8]?) -> [UInt8] {
        CanonicalBytes("offer-signer kept answer 1", [.text(place.requestId), .time(time), SQLValue(customer)]).bytes
    }

    static let migration = Migration("answers", ["ALTER TABLE kept_answers ADD COLUMN customer BYTEA"])
}
