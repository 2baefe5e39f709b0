import Offers
import Testing

@Suite("Which mistakes the search finds within its bounds")
struct MistakePairTests {
    /// 24 products with 65 offers, in two groups.
    private static let app = App(
        bundleId: "com.example.Reader",
        subscriptionGroups: [
            SubscriptionGroup(
                id: "1",
                products: [
                    Product(id: "monthly", offers: ["back50", "stay30"].map { PromotionalOffer(id: $0) }),
                    Product(id: "yearly", offers: [PromotionalOffer(id: "loyal20")]),
                ]
                    + (0..<20).map { product in
                        Product(
                            id: "p\(product)",
                            offers: ["a", "b", "c"].map { PromotionalOffer(id: "o\(product)\($0)") }
                        )
                    }
            ),
            SubscriptionGroup(
                id: "2",
                products: [
                    Product(id: "audio", offers: [PromotionalOffer(id: "audio1")]),
                    Product(id: "video", offers: [PromotionalOffer(id: "back50")]),
                ]
            ),
        ]
    )

    /// One mistake of a backend, in the part of the payload that it changes.
    private struct Slip: Sendable, CustomTestStringConvertible {
        let code: DiagnosisCode
        let part: String
        let make: @Sendable (inout Backend) -> Void
        var testDescription: String { "\(code) (\(part))" }

        init(_ code: DiagnosisCode, _ part: String, _ make: @escaping @Sendable (inout Backend) -> Void) {
            self.code = code
            self.part = part
            self.make = make
        }
    }

    /// What a backend signs, right but for its mistakes.
    private struct Backend {
        var fields: [String]
        var separator = "\u{2063}"
        var order = Array(0..<7)
        var key = "KEY0"
        var hash = SignedHash.sha256

        init(signingFor report: SignatureReport) {
            fields = [
                report.bundleId, report.keyIdentifier, report.productId, report.offerId, report.account.payloadField,
                report.nonce, String(report.timestamp),
            ]
        }

        var payload: String { order.map { fields[$0] }.joined(separator: separator) }
    }

    private static let mistakes = [
        Slip(.nonceUppercase, "nonce") { $0.fields[5] = $0.fields[5].uppercased() },
        Slip(.timestampInSeconds, "timestamp") { $0.fields[6] = String($0.fields[6].dropLast(3)) },
        Slip(.accountCase, "account") { $0.fields[4] = $0.fields[4].uppercased() },
        Slip(.accountMissing, "account") { $0.fields[4] = "" },
        Slip(.wrongSeparator, "separator") { $0.separator = "\n" },
        Slip(.wrongSeparator, "separator") { $0.separator = "\\u2063" },
        Slip(.wrongFieldOrder, "order") { $0.order.swapAt(2, 3) },
        Slip(.wrongFieldOrder, "order") { $0.order.swapAt(4, 5) },
        Slip(.wrongFieldOrder, "order") { $0.order.remove(at: 1) },
        Slip(.keyIdMismatch, "key id") { $0.fields[1] = "KEY1" },
        Slip(.wrongKey, "key") { $0.key = "KEY1" },
        Slip(.productMismatch, "product") { $0.fields[2] = "yearly" },
        Slip(.offerMismatch, "offer") { $0.fields[3] = "stay30" },
        Slip(.bundleMismatch, "bundle id") { $0.fields[0] = "com.example.other" },
        Slip(.bundleMismatch, "bundle id") { $0.fields[0] = "com.example.reader" },
        Slip(.fieldUndefined, "product") { $0.fields[2] = "undefined" },
        Slip(.fieldUndefined, "offer") { $0.fields[3] = "" },
        Slip(.fieldUndefined, "nonce") { $0.fields[5] = "null" },
        Slip(.wrongHash, "hash") { $0.hash = .sha256Twice },
        Slip(.wrongHash, "hash") { $0.hash = .sha1 },
        Slip(.wrongHash, "hash") { $0.hash = .sha512 },
    ]

    private static func report(account: Account, timestamp: Int64 = clock.millisecondsSince1970) -> SignatureReport {
        SignatureReport(
            bundleId: "com.example.Reader",
            keyIdentifier: "KEY0",
            productId: "monthly",
            offerId: "back50",
            account: account,
            nonce: "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c",
            timestamp: timestamp,
            signature: "MAYCAQECAQE="
        )
    }

    private static func diagnose(
        _ report: SignatureReport,
        in app: App = app,
        signed backend: Backend,
        keys: Int = 3
    ) -> Diagnosis {
        Diagnostician(
            app: app,
            verifiers: (0..<keys).map { key in
                CountingVerifier(
                    "KEY\(key)",
                    signed: backend.key == "KEY\(key)" ? backend.payload : nil,
                    hashedBy: backend.hash
                )
            },
            otherBundleIds: ["com.example.other"],
            now: clock
        ).diagnose(report)
    }

    private static func codes(_ diagnosis: Diagnosis) -> Set<DiagnosisCode> { Set(diagnosis.causes.map(\.code)) }

    @Test("Every two of the usual mistakes", arguments: [Account.applicationUsername("led-1"), .none])
    func pairs(account: Account) {
        let report = Self.report(account: account)
        let mistakes = Self.mistakes.filter { account != .none || $0.part != "account" }
        for (index, first) in mistakes.enumerated() {
            for second in mistakes[(index + 1)...] where second.part != first.part {
                var backend = Backend(signingFor: report)
                first.make(&backend)
                second.make(&backend)
                // An order without the key id tells nothing of it.
                guard backend.order.count == 7 || second.part != "key id" else { continue }
                // Of fields that are undefined together, all have the same word.
                guard first.code != second.code else { continue }
                let found = Self.codes(Self.diagnose(report, signed: backend))
                #expect(found == [first.code, second.code], "\(first.testDescription), \(second.testDescription)")
            }
        }
    }

    @Test("A timestamp whose end was cut off is one mistake, for any number of keys", arguments: [0, 799, 800, 999])
    func single(cutOff: Int64) {
        let milliseconds = clock.millisecondsSince1970 / 1000 * 1000 + cutOff
        let report = Self.report(account: .applicationUsername("led-1"), timestamp: milliseconds / 1000)
        var backend = Backend(signingFor: report)
        backend.fields[6] = String(milliseconds)
        #expect(Self.codes(Self.diagnose(report, signed: backend, keys: 5)) == [.timestampInSeconds])
        backend.fields[5] = backend.fields[5].uppercased()
        #expect(Self.codes(Self.diagnose(report, signed: backend)) == [.timestampInSeconds, .nonceUppercase])
    }

    @Test("Another product with an offer of its own, wherever it stands in the catalog")
    func otherProductsOffer() {
        let report = Self.report(account: .none)
        var backend = Backend(signingFor: report)
        backend.fields[2] = "p19"
        backend.fields[3] = "o19c"
        #expect(Self.codes(Self.diagnose(report, signed: backend)) == [.productMismatch, .offerMismatch])
    }

    @Test("A field that has nothing in it, or a word for that", arguments: ["", "undefined", "null", "None", "nil"])
    func placeholder(word: String) {
        for account in [Account.applicationUsername("led-1"), .none] {
            for field in 0..<7 where field != 4 || account != .none {
                let report = Self.report(account: account)
                var backend = Backend(signingFor: report)
                backend.fields[field] = word
                let expected: Set<DiagnosisCode> = [field == 4 ? .accountMissing : .fieldUndefined]
                #expect(Self.codes(Self.diagnose(report, signed: backend)) == expected, "field \(field)")
            }
        }
    }

    @Test("A request that was not read: two to four fields have the same word, and each is named", arguments: 2...4)
    func undefined(count: Int) {
        let report = Self.report(account: .applicationUsername("led-1"))
        for (word, fields) in [("undefined", [2, 3, 5, 6]), ("", [0, 3, 4, 5]), ("None", [1, 2, 4, 6])] {
            var backend = Backend(signingFor: report)
            for field in fields.prefix(count) { backend.fields[field] = word }
            let causes = Self.diagnose(report, signed: backend).causes
            #expect(causes.count == count)
            let names = ["bundleId", "keyIdentifier", "productId", "offerId", "account", "nonce", "timestamp"]
            for field in fields.prefix(count) {
                #expect(
                    causes.filter {
                        $0.detail.contains(" \(names[field]) ") || $0.detail.contains("\(names[field]) is")
                    }.count == 1,
                    "\(names[field]) \(causes)"
                )
            }
            #expect(Set(causes.map(\.code)).isSubset(of: [.fieldUndefined, .accountMissing]))
        }
    }

    @Test("An unexplained diagnosis says whether the budget was used up, and does not blame a small catalog")
    func unexplained() {
        for (keys, isUsedUp) in [(1, true), (0, false)] {
            let report = Self.report(account: .applicationUsername("led-1"))
            var nothing = Backend(signingFor: report)
            nothing.key = "nobody's"
            let causes = Self.diagnose(report, signed: nothing, keys: keys).causes
            #expect(causes.map(\.code) == [.unexplained])
            #expect(causes.contains { $0.detail.contains("has used up its budget") } == isUsedUp)
            #expect(!causes.contains { $0.detail.contains("catalog") })
        }
    }
}
