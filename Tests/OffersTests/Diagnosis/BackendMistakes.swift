import Offers
import Testing

/// What a backend signs for a discount, right but for its mistakes.
struct Backend {
    var fields: [String]
    var separator = "\u{2063}"
    var ending = ""
    var order = Array(0..<7)
    var key = "KEY0"
    var hash = SignedHash.sha256

    init(signingFor report: SignatureReport) {
        fields = [
            report.bundleId, report.keyIdentifier, report.productId, report.offerId, report.account.payloadField,
            report.nonce, String(report.timestamp),
        ]
    }

    var payload: String { order.map { fields[$0] }.joined(separator: separator) + ending }
}

/// A mistake of a backend: a row of the table that all tests of payloads share.
struct BackendMistake: Sendable, CustomTestStringConvertible {
    let codes: Set<DiagnosisCode>
    /// The part of the payload that it changes: mistakes in one part do not occur together.
    let part: String
    let name: String
    let make: @Sendable (inout Backend) -> Void

    var testDescription: String {
        "\(codes.map(\.rawValue).sorted().joined(separator: ", ")): \(part) \(name.debugDescription)"
    }

    private init(
        _ codes: Set<DiagnosisCode>,
        _ part: String,
        _ name: String,
        _ make: @escaping @Sendable (inout Backend) -> Void
    ) {
        (self.codes, self.part, self.name, self.make) = (codes, part, name, make)
    }

    private static func field(
        _ place: Int,
        _ part: String,
        _ text: String,
        _ codes: DiagnosisCode...
    ) -> BackendMistake { BackendMistake(Set(codes), part, text) { $0.fields[place] = text } }

    static let account = Account.applicationUsername("led-1")
    static let nonce = "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c"
    static let now = clock.millisecondsSince1970

    /// A report of what the app gave StoreKit, all of it right but for what a test changes.
    static func report(
        keyIdentifier: String = "KEY0",
        productId: String = "monthly",
        offerId: String = "back50",
        account: Account = account,
        nonce: String = nonce,
        timestamp: Int64 = now,
        signature: String = "MAYCAQECAQE=",
        payload: [UInt8]? = nil,
        error: ReportedError? = nil
    ) -> SignatureReport {
        SignatureReport(
            bundleId: app.bundleId,
            keyIdentifier: keyIdentifier,
            productId: productId,
            offerId: offerId,
            account: account,
            nonce: nonce,
            timestamp: timestamp,
            signature: signature,
            payload: payload,
            storeKitError: error
        )
    }

    static func app(_ bundleId: String, _ offers: [(product: String, ids: [String])]) -> App {
        let products = offers.map { row in Product(id: row.product, offers: row.ids.map { PromotionalOffer(id: $0) }) }
        return App(bundleId: bundleId, subscriptionGroups: [SubscriptionGroup(id: "1", products: products)])
    }

    static let app = app(
        "com.example.Reader",
        [("monthly", ["back50", "stay30"]), ("yearly", ["loyal20"]), ("weekly", [])]
    )
    static let other = app("com.example.other", [("other.monthly", ["here"])])

    /// What is found when a backend signed, by default rightly, and the report has what it signed or not.
    static func diagnosis(
        _ report: SignatureReport,
        signed backend: Backend? = nil,
        withPayload: Bool = false,
        by keys: [String] = ["KEY0", "KEY1"],
        record: RecordedSignature? = nil
    ) -> Diagnosis {
        let backend = backend ?? Backend(signingFor: report)
        let verifiers = keys.map { key in
            CountingVerifier(key, signed: backend.key == key ? backend.payload : nil, hashedBy: backend.hash)
        }
        let sent = withPayload ? Self.report(account: report.account, payload: Array(backend.payload.utf8)) : report
        return Diagnostician(
            of: DiagnosableApp(app: app, verifiers: verifiers),
            beside: [DiagnosableApp(app: other, verifiers: [])],
            record: record,
            now: clock
        ).diagnose(sent)
    }

    /// The mistakes that are found with the payload and without.
    static let single: [BackendMistake] =
        [
            field(5, "nonce", "0F4C2B1A-9D3E-4F6A-8B7C-1D2E3F4A5B6C", .nonceUppercase),
            field(6, "timestamp", String(clock.millisecondsSince1970 / 1000), .timestampInSeconds),
            field(4, "account", "LED-1", .accountCase), field(4, "account", "Led-1", .accountCase),
            field(4, "account", "", .accountMissing), field(4, "account", "null", .accountMissing),
            field(1, "key id", "KEY1", .keyIdMismatch), field(2, "product", "yearly", .productMismatch),
            field(2, "product", "weekly", .productMismatch), field(3, "offer", "stay30", .offerMismatch),
            field(0, "bundle id", "com.example.other", .bundleMismatch),
            field(0, "bundle id", "com.example.reader", .bundleMismatch),
            field(0, "bundle id", "Com.Example.Reader", .bundleMismatch),
            field(0, "bundle id", "com.Example.reader", .bundleMismatch),
            BackendMistake([.wrongKey], "key", "KEY1") { $0.key = "KEY1" },
        ]
        + ["undefined", "", "null", "None", "nil", "(null)"].flatMap { word in
            [(0, "bundle id"), (1, "key id"), (2, "product"), (3, "offer"), (5, "nonce"), (6, "timestamp")].map {
                field($0.0, $0.1, word, .fieldUndefined)
            }
        }
        + ["\n", "", "|", ",", "-", ".", "\\u2063", "\u{200B}", "&#8291;"].map { text in
            BackendMistake([.wrongSeparator], "separator", text) { $0.separator = text }
        }
        + (0..<7).map { place in
            BackendMistake([.wrongFieldOrder], "order", "without \(place)") { $0.order.remove(at: place) }
        }
        + [(2, 3), (4, 5), (0, 1), (1, 6)].map { first, second in
            BackendMistake([.wrongFieldOrder], "order", "\(first) and \(second)") { $0.order.swapAt(first, second) }
        }
        + SignedHash.allCases.dropFirst().map { hash in
            BackendMistake([.wrongHash], "hash", hash.rawValue) { $0.hash = hash }
        }

    /// What one slip makes of several parts, found without the payload as well.
    static let several: [BackendMistake] = [
        BackendMistake([.productMismatch, .offerMismatch], "offer", "of another decision") {
            $0.fields[2] = "yearly"
            $0.fields[3] = "loyal20"
        },
        BackendMistake([.wrongKey, .keyIdMismatch], "key", "of last year, by its id") {
            $0.key = "KEY1"
            $0.fields[1] = "KEY1"
        },
        BackendMistake([.wrongSeparator], "ending", "a separator") { $0.ending = $0.separator },
        BackendMistake([.nonceUppercase, .accountCase], "account", "and nonce, by uuidString") {
            for place in [4, 5] { $0.fields[place] = $0.fields[place].uppercased() }
        },
        BackendMistake([.bundleMismatch, .keyIdMismatch], "whole", "in lower case") {
            $0.fields = $0.fields.map { $0.lowercased() }
        },
    ]

    /// What is found with the payload alone.
    static let unforeseen: [BackendMistake] = [
        field(2, "product", "com.example.gone", .productMismatch), field(3, "offer", "GONE", .offerMismatch),
        field(1, "key id", "NOBODYS123", .keyIdMismatch), field(0, "bundle id", "com.else", .bundleMismatch),
        field(4, "account", "bob", .accountUnexpected), field(2, "product", "monthly ", .payloadDiffers),
        field(4, "account", "\"led-1\"", .payloadDiffers),
        field(5, "nonce", "0f4c2b1a9d3e4f6a8b7c1d2e3f4a5b6c", .payloadDiffers),
        field(6, "timestamp", "\(clock.millisecondsSince1970).0", .payloadDiffers),
        field(6, "timestamp", "\(clock.millisecondsSince1970 + 1)", .payloadDiffers),
        BackendMistake([.payloadDiffers], "timestamp", "a line break") { $0.ending = "\n" },
        BackendMistake([.payloadDiffers], "timestamp", "an eighth field") { $0.ending = "\u{2063}1" },
        BackendMistake([.payloadDiffers], "whole", "nothing of it") {
            $0.fields = ["?"]; $0.order = [0]
        },
        BackendMistake([.payloadDiffers], "whole", "a mark of order") { $0.fields[0] = "\u{FEFF}" + $0.fields[0] },
        BackendMistake([.payloadDiffers], "whole", "two fields in one") {
            $0.fields[2] += $0.fields.remove(at: 3); $0.order.removeLast()
        },
        BackendMistake([.wrongFieldOrder], "order", "backwards") { $0.order.reverse() },
        BackendMistake([.wrongFieldOrder], "order", "any") { $0.order = [3, 6, 0, 5, 1, 4, 2] },
        BackendMistake([.wrongSeparator], "separator", "of one's own") { $0.separator = " <=> " },
    ]
}
