import AppStore
import LedgerFixtures
import SignedDataFixtures
import Testing

@testable import Offers

@Suite("Signed transactions and renewal infos as evidence")
struct SignedTransactionsTests {
    private let signer: TestSigner
    private let reader: AppStoreEvidenceReader

    init() throws {
        let authority = try TestAuthority()
        signer = try authority.signer()
        reader = AppStoreEvidenceReader(
            verifier: SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
        )
    }

    private static func transaction(_ more: String) -> String { transaction(1, more) }

    private static func transaction(
        _ id: Int = 1,
        original: Int = 1,
        signedDate: Int = 1_795_262_400_000,
        _ more: String = ""
    ) -> String {
        #"""
        {"transactionId":"\#(id)","originalTransactionId":"\#(original)","bundleId":"com.example.reader",
        "productId":"monthly","subscriptionGroupIdentifier":"1","purchaseDate":1795000000000,
        "originalPurchaseDate":1790000000000,"expiresDate":1797600000000,"quantity":1,
        "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"Sandbox",
        "signedDate":\#(signedDate)\#(more.isEmpty ? "" : ",\(more)")}
        """#
    }

    private static func renewal(original: Int = 1, signedDate: Int = 1_795_262_400_000, status: Int = 0) -> String {
        #"""
        {"originalTransactionId":"\#(original)","autoRenewProductId":"yearly","productId":"monthly",
        "autoRenewStatus":\#(status),"isInBillingRetryPeriod":true,"gracePeriodExpiresDate":1797700000000,
        "expirationIntent":2,"offerType":2,"offerIdentifier":"stay","environment":"Sandbox","signedDate":\#(signedDate)}
        """#
    }

    private func history(_ transactions: [String], _ renewals: [String] = []) throws -> Book {
        try reader.book(
            from: .signedTransactions(try transactions.map(signer.sign), renewalInfos: try renewals.map(signer.sign))
        )
    }

    private func date(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    @Test(
        "A signed period is free, or paid up front, by offerDiscountType alone, and not known where an offer or its kind is not",
        arguments: [
            (#""offerType":1,"offerDiscountType":"FREE_TRIAL""#, true),
            (#""offerType":2,"offerIdentifier":"o","offerDiscountType":"FREE_TRIAL""#, true),
            (#""offerDiscountType":"FREE_TRIAL""#, true), (#""offerType":0"#, false),
            (#""offerType":1,"offerDiscountType":"PAY_AS_YOU_GO""#, false),
            (#""offerType":4,"offerDiscountType":"PAY_UP_FRONT""#, false), (#""offerType":1"#, nil),
            (#""offerType":1,"offerDiscountType":"NEW_KIND""#, nil), (#""offerDiscountType":"NEW_KIND""#, nil),
        ] as [(String, Bool?)]
    )
    func free(members: String, isFree: Bool?) throws {
        let transactions = try history([Self.transaction(members)]).transactions
        #expect(transactions.map(\.isFree) == [isFree])
        #expect(transactions.map(\.isPaidUpFront) == [members.contains("UP_FRONT")])
    }

    @Test("A transaction and its renewal info say all that decisions need")
    func fields() throws {
        let more = #"""
            "revocationDate":1795100000000,"isUpgraded":true,"offerType":1,"price":4990,"currency":"EUR","storefront":"DEU",
            "appAccountToken":"7E3FB20B-4CDB-47CC-936D-99D65F608138"
            """#
        let history = try history([Self.transaction(more)], [Self.renewal()])
        #expect(history.bundleId == "com.example.reader")
        #expect(history.environment == .sandbox)
        #expect(history.coverage == .partial)
        #expect(history.asOf == date(1_795_262_400_000))
        var transaction = Transaction(
            originalTransactionId: "1",
            productId: "monthly",
            subscriptionGroupIdentifier: "1",
            purchaseDate: date(1_795_000_000_000),
            expiresDate: date(1_797_600_000_000),
            revocationDate: date(1_795_100_000_000),
            isUpgraded: true,
            appAccountToken: AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            offer: .introductory,
            transactionId: "1",
            price: PaidPrice(milliunits: 4990, currency: "EUR"),
            storefront: "DEU"
        )
        transaction.originalPurchaseDate = date(1_790_000_000_000)
        #expect(history.transactions == [transaction])
        var renewal = RenewalInfo(
            originalTransactionId: "1",
            productId: "monthly",
            autoRenewStatus: false,
            hasExpirationIntent: true,
            isInBillingRetryPeriod: true,
            gracePeriodExpiresDate: date(1_797_700_000_000),
            offer: .promotional("stay")
        )
        renewal.offerProductId = "yearly"
        renewal.lapseReason = .billing
        #expect(history.renewals == [renewal])
    }

    @Test(
        "The reason of an end and the answer to a higher price are Apple's numbers; others are none, and not known",
        arguments: [
            ("1", .voluntary, "0", .pending), ("3", .priceIncrease, "1", .accepted), ("4", .unavailable, "2", .unknown),
            ("5", nil, "null", .notDue), ("0", nil, "\"0\"", .pending), ("\"2\"", .billing, "\"x\"", .unknown),
        ] as [(String, LapseReason?, String, PriceIncrease)]
    )
    func renewalNumbers(intent: String, reason: LapseReason?, status: String, increase: PriceIncrease) throws {
        let renewal = Self.renewal().replacing("\"expirationIntent\":2", with: "\"expirationIntent\":\(intent)")
            .replacing("}", with: ",\"priceIncreaseStatus\":\(status)}")
        let said = try #require(try history([Self.transaction()], [renewal]).renewals?.first)
        #expect(said.lapseReason == reason && said.priceIncrease == increase)
        #expect(said.hasExpirationIntent == (intent != "0"))
    }

    @Test("The bundle of a transaction is read in either spelling, and whether it is left", arguments: ["Id", "ID"])
    func bundle(ending: String) throws {
        let more = #"""
            "bundleTransaction\#(ending)":"91","bundleOriginalTransaction\#(ending)":90,"bundleProduct\#(ending)":"all",
            "bundleSubscriptionGroup\#(ending)":"7"
            """#
        let leaving = Self.renewal().replacing("}", with: #","willUnbundle":true}"#)
        let history = try history([Self.transaction(more)], [leaving])
        #expect(
            history.transactions.map(\.bundle) == [
                .of(originalTransactionId: "90", transactionId: "91", productId: "all")
            ]
        )
        #expect(history.renewals?.map(\.willUnbundle) == [true])
        let group = #""bundleSubscriptionGroup\#(ending)":"7""#
        #expect(try self.history([Self.transaction(group)]).transactions.map { $0.bundle != nil } == [true])
        #expect(try self.history([Self.transaction()]).transactions.map(\.bundle) == [nil])
    }

    @Test("A commitment that is paid month by month, and whether it goes on")
    func commitment() throws {
        let commitment = #"""
            "billingPlanType":"MONTHLY","commitmentInfo":{"billingPeriodNumber":3,"totalBillingPeriods":12,
            "commitmentPrice":59880,"commitmentExpiresDate":1820000000000}
            """#
        let cancelled = Self.renewal(status: 1)
            .replacing("}", with: #","commitmentInfo":{"commitmentAutoRenewStatus":0,"commitmentRenewalPrice":1}}"#)
        let history = try history([Self.transaction(commitment)], [cancelled])
        let known = BillingPlan.Commitment(
            billingPeriodNumber: 3,
            totalBillingPeriods: 12,
            expiresDate: date(1_820_000_000_000)
        )
        #expect(history.transactions.map(\.billingPlan) == [.monthly(known)])
        #expect(history.renewals?.map(\.autoRenewStatus) == [true])
        #expect(history.renewals?.map(\.commitmentAutoRenewStatus) == [false])
        let upfront = try self.history([Self.transaction(#""billingPlanType":"BILLED_UPFRONT""#)])
        #expect(upfront.transactions.map(\.billingPlan) == [.upfront])
    }

    @Test("An offer of any type is an offer", arguments: [(2, "o"), (4, "o"), (5, "o"), (6, "o"), (2, nil), (7, nil)])
    func offerTypes(type: Int, id: String?) throws {
        let members = #""offerType":\#(type)"# + (id.map { #","offerIdentifier":"\#($0)""# } ?? "")
        let history = try history([Self.transaction(members)])
        let offer = try #require(history.transactions.first?.offer)
        #expect(offer.type == Int64(type))
        #expect(offer.identifier == id ?? "")
        #expect(offer.catalogId == ([2, 5].contains(type) ? id : nil))
    }

    @Test("Revocations, and the share of the price that went back")
    func revocations() throws {
        func revoked(_ more: String) throws -> Transaction {
            try #require(history([Self.transaction(#""revocationDate":1795100000000,\#(more)"#)]).transactions.first)
        }
        let prorated = try revoked(#""revocationType":"REFUND_PRORATED","revocationPercentage":50000"#)
        #expect(prorated.revocation == Revocation(.prorated, percentage: 50_000))
        #expect(prorated.ownership == .purchased)
        #expect(try revoked(#""revocationType":"FAMILY_REVOKE""#).ownership == .familyShared)
        #expect(try revoked(#""revocationReason":1"#).revocation == nil)
        #expect(try revoked(#""revocationType":"ASSIGNMENT_REVOKE""#).ownership == .assigned)
        #expect(try revoked(#""revocationType":"BUNDLED""#).revocation?.kind == .unknown("BUNDLED"))
        #expect(try revoked(#""revocationReason":2"#).revocation?.kind == .unknown("reason 2"))
        #expect(
            try revoked(#""revocationType":"REFUND_FULL","revocationReason":2"#).revocation?.kind
                == .unknown("REFUND_FULL, reason 2")
        )
    }

    @Test(
        "Whose purchase it is; nothing that is not there, and no other text, says that the customer bought it",
        arguments: [
            (#""PURCHASED""#, Ownership.purchased), (#""FAMILY_SHARED""#, .familyShared), (#""ASSIGNED""#, .assigned),
            (#""GIFTED""#, .unknown("GIFTED")), (#""""#, .unknown("")), ("null", .unknown(nil)),
        ]
    )
    func owners(text: String, expected: Ownership) throws {
        let payload = Self.transaction().replacing(
            #""inAppOwnershipType":"PURCHASED""#,
            with: #""inAppOwnershipType":\#(text)"#
        )
        #expect(try history([payload]).transactions.map(\.ownership) == [expected])
        let without = Self.transaction().replacing(#""inAppOwnershipType":"PURCHASED","#, with: "")
        #expect(try history([without]).transactions.map(\.ownership) == [.unknown(nil)])
    }

    @Test(
        "Seats that were given back leave the subscription to the others; added ones, and an earlier identifier, are kept"
    )
    func seats() throws {
        let more = #"""
            "multiSeatInfo":{"revokedSeatQuantity":2},"revocationReason":0,"webOrderLineItemId":"31",
            "previousOriginalTransactionId":"7","additionalTransactionReason":"SEAT_ADDITION","appTransactionId":"704"
            """#
        let transaction = try #require(history([Self.transaction(more)]).transactions.first)
        #expect(transaction.revocationDate == nil)
        #expect(transaction.isAddition)
        #expect(transaction.webOrderLineItemId == "31")
        #expect(transaction.previousOriginalTransactionId == "7")
        #expect(transaction.appTransactionId == "704")
        #expect(transaction.kind == .subscription)
        let bundle = Self.transaction(more).replacing("Auto-Renewable Subscription", with: "Bundle")
        let history = try history([bundle])
        #expect(history.transactions.map(\.kind) == [.bundle])
        #expect(history.transactions.map(\.expiresDate) != [nil])
        #expect(history.renewals?.isEmpty == true)
    }

    @Test("Win-back offers stay in Apple's order")
    func winBackOffers() throws {
        let renewal = Self.renewal().replacing("}", with: #","eligibleWinBackOfferIds":["b","a","c"]}"#)
        let history = try history([Self.transaction()], [renewal])
        #expect(history.renewals?.map(\.eligibleWinBackOfferIds) == [["b", "a", "c"]])
    }

    @Test("A renewal info without its transaction counts for nothing")
    func pairs() throws {
        let history = try history([Self.transaction(5, original: 5)], [Self.renewal(original: 6)])
        #expect(history.chapters.map(\.id) == ["5"])
        #expect(history.renewals == [])
    }

    @Test("Each statement has the date of its signature, and when the renewed period ends")
    func dates() throws {
        let renewal = Self.renewal(signedDate: 1_794_999_999_999)
            .replacing("}", with: #","renewalDate":1797600000000}"#)
        let book = try history([Self.transaction()], [renewal])
        let chapter = try #require(book.chapters.first)
        #expect(chapter.transactions.map(\.asOf) == [date(1_795_262_400_000)])
        #expect(chapter.transactions.map(\.shownSince) == [date(1_795_000_000_000)])
        #expect(chapter.renewal?.asOf == date(1_794_999_999_999))
        #expect(chapter.renewal?.content?.renewalDate == date(1_797_600_000_000))
        #expect(book.asOf == date(1_795_262_400_000))
    }

    @Test("A period that is shown before it begins has been shown since its first copy was signed")
    func shownAhead() throws {
        let copies = [1_794_900_000_000, 1_794_950_000_000].map { Self.transaction(signedDate: $0) }
        for order in [copies, copies.reversed()] {
            let said = try history(order).chapters.first?.transactions.first
            #expect(said?.shownSince == date(1_794_900_000_000))
            #expect(said?.asOf == date(1_794_950_000_000))
        }
    }

    @Test("A renewal info of another environment says nothing of the subscription, though it has its identifier")
    func renewalOfAnotherEnvironment() throws {
        let foreign = Self.renewal(status: 1).replacing("Sandbox", with: "Production")
        let history = try history([Self.transaction()], [foreign])
        #expect(history.environment == .sandbox)
        #expect(history.renewals == [])
    }

    @Test("Only an auto-renewable subscription makes an entry", arguments: ["Consumable", "Non-Renewing Subscription"])
    func types(type: String) throws {
        let history = try history([Self.transaction().replacing("Auto-Renewable Subscription", with: type)])
        #expect(history.renewals?.isEmpty == true)
        // Without an end it is no subscription in what is held of the customer, either.
        #expect(history.transactions.map(\.expiresDate) == [nil])
    }

    @Test("Of two copies of a transaction the one signed last counts: a refund cannot be hidden by an older copy")
    func copies() throws {
        let old = Self.transaction(signedDate: 1_795_262_400_000)
        let refunded = Self.transaction(signedDate: 1_795_262_400_001, #""revocationReason":1"#)
        for pair in [[old, refunded], [refunded, old]] {
            let history = try history(pair)
            #expect(history.transactions.map(\.revocationDate) == [date(1_795_262_400_001)])
        }
        let renewals = [
            Self.renewal(signedDate: 1_795_000_000_000, status: 1),
            Self.renewal(signedDate: 1_795_262_400_000, status: 0),
        ]
        for pair in [renewals, renewals.reversed()] {
            #expect(try history([old], pair).renewals?.map(\.autoRenewStatus) == [false])
        }
    }

    @Test("Transactions of two apps, or of two environments, are not one customer's evidence")
    func mixed() {
        for (old, new) in [("com.example.reader", "com.example.other"), ("Sandbox", "Production")] {
            let other = Self.transaction(2).replacing(old, with: new)
            let fault = #expect(throws: EvidenceFault.self) { try history([Self.transaction(), other]) }
            #expect(fault?.code == "jws_mixed")
            #expect(fault?.pointer == "/1")
        }
    }

    @Test("A forgery is named by its place, among transactions and among renewal infos")
    func places() throws {
        let stranger = try TestAuthority().signer()
        let genuine = try signer.sign(Self.transaction())
        let forged = try stranger.sign(Self.renewal())
        let first = #expect(throws: EvidenceFault.self) {
            try reader.book(from: .signedTransactions([genuine, forged], renewalInfos: []))
        }
        #expect(first?.kind == .rejected)
        #expect(first?.code == "jws_untrusted_root")
        #expect(first?.pointer == "/1")
        let second = #expect(throws: EvidenceFault.self) {
            try reader.book(from: .signedTransactions([genuine], renewalInfos: [forged]))
        }
        #expect(second?.member == "signedRenewalInfos")
        #expect(second?.pointer == "/0")
    }

    @Test("Signed data of another kind is called by its name, and the error says where it belongs")
    func names() throws {
        let appTransaction = #"{"receiptType":"Production","bundleId":"b","appTransactionId":"704","requestDate":1}"#
        let among: [(String, says: String)] = [
            (try signer.sign(appTransaction), "its appTransactionId goes into transactionId"),
            (try signer.sign(Self.renewal()), "It goes into signedRenewalInfos"),
            (try signer.sign(#"{"notificationType":"TEST","signedDate":1795262400000}"#), "POST /v1/notifications"),
            (
                try signer.sign(Self.transaction().replacing(#""bundleId":"com.example.reader","#, with: "")),
                "productId and bundleId"
            ),
            ("2000000123456789", "It goes into transactionId"),
            (ReceiptTransactionTests.definite, "It goes into receipt"),
        ]
        for (text, says) in among {
            let fault = #expect(throws: EvidenceFault.self) {
                try reader.book(from: .signedTransactions([text], renewalInfos: []))
            }
            #expect(fault?.kind == .rejected)
            #expect(fault?.pointer == "/0")
            #expect(fault?.detail.contains(says) == true, "\(fault?.detail ?? "")")
        }
        let fault = #expect(throws: EvidenceFault.self) { try history([Self.transaction()], [Self.transaction()]) }
        #expect(fault?.detail.contains("It goes into signedTransactions") == true)
        #expect(fault?.member == "signedRenewalInfos")
    }

    @Test("A signed payload of another kind is refused")
    func otherPayloads() {
        let cases = [
            ([Self.renewal()], []), ([Self.transaction()], [Self.transaction()]),
            ([#"{"notificationType":"TEST","signedDate":1795262400000}"#], []),
            ([Self.transaction(#""appAccountToken":"alice""#)], []), ([Self.transaction(#""expiresDate":[]"#)], []),
        ]
        for (transactions, renewals) in cases {
            let fault = #expect(throws: EvidenceFault.self) { try history(transactions, renewals) }
            #expect(fault?.code == "jws_payload_malformed")
        }
    }

    @Test("Xcode's certificate, where the operator trusts it, speaks for Xcode and LocalTesting alone")
    func xcode() throws {
        let xcode = try TestAuthority.selfSigned()
        let reader = AppStoreEvidenceReader(
            verifier: SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: xcode.certificates[0])])
        )
        for (name, environment) in [("Xcode", AppStoreEnvironment.xcode), ("LocalTesting", .localTesting)] {
            let jws = try xcode.sign(Self.transaction().replacing("Sandbox", with: name))
            #expect(try reader.book(from: .signedTransactions([jws], renewalInfos: [])).environment == environment)
        }
        for name in ["Sandbox", "Production", "Moon"] {
            let jws = try xcode.sign(Self.transaction().replacing("Sandbox", with: name))
            let fault = #expect(throws: EvidenceFault.self) {
                try reader.book(from: .signedTransactions([jws], renewalInfos: []))
            }
            #expect(fault?.code == "jws_chain_length")
        }
    }
}
