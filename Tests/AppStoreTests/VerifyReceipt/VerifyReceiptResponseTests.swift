import AppStore
import LedgerFixtures
import Testing

@testable import Offers

@Suite("verifyReceipt answers")
struct VerifyReceiptResponseTests {
    private func read(_ json: String) throws(EvidenceFault) -> Book {
        try AppStoreEvidenceReader().book(from: .receiptResponse(json: Array(json.utf8)))
    }

    private static let strings = #"""
        {"status":0,"environment":"Sandbox","latest_receipt":"MII=","receipt":{"receipt_type":"ProductionSandbox",
        "bundle_id":"com.example.reader","request_date_ms":"1595440486402","request_date":"2020-07-22 17:54:46 Etc/GMT",
        "in_app":[{"product_id":"p","transaction_id":"2","original_transaction_id":"1","purchase_date_ms":"5"}]},
        "latest_receipt_info":[{"quantity":"1","product_id":"p","transaction_id":"2","original_transaction_id":"1",
        "purchase_date_ms":"1594755400000","expires_date_ms":"1594755700000","cancellation_date_ms":"1594755500000",
        "is_trial_period":"false","is_in_intro_offer_period":"true","is_upgraded":"true",
        "in_app_ownership_type":"FAMILY_SHARED","subscription_group_identifier":"20900001",
        "app_account_token":"7E3FB20B-4CDB-47CC-936D-99D65F608138"}],
        "pending_renewal_info":[{"auto_renew_product_id":"q","original_transaction_id":"1","product_id":"p",
        "auto_renew_status":"0","expiration_intent":"1","is_in_billing_retry_period":"1",
        "grace_period_expires_date_ms":"1594756000000","promotional_offer_id":"o"}]}
        """#

    private static let values = #"""
        {"status":"0","environment":"Sandbox","receipt":{"bundle_id":"com.example.reader",
        "request_date_ms":1595440486402},
        "latest_receipt_info":{"product_id":"p","transaction_id":2,"original_transaction_id":1,
        "purchase_date_ms":1594755400000,"expires_date_ms":1594755700000.75,"cancellation_date_ms":1594755500000,
        "is_trial_period":0,"is_in_intro_offer_period":true,"is_upgraded":1,"in_app_ownership_type":"FAMILY_SHARED",
        "subscription_group_identifier":20900001,"app_account_token":"7e3fb20b-4cdb-47cc-936d-99d65f608138"},
        "pending_renewal_info":{"original_transaction_id":1,"product_id":"p","auto_renew_status":false,
        "expiration_intent":1,"is_in_billing_retry_period":true,"grace_period_expires_date_ms":1594756000000,
        "promotional_offer_id":"o"}}
        """#

    @Test(
        "Strings, numbers, booleans, and one object for a list of one, all say the same",
        arguments: [strings, values]
    )
    func forms(json: String) throws {
        let history = try read(json)
        let date = { Timestamp(millisecondsSince1970: $0) }
        #expect(history.bundleId == "com.example.reader")
        #expect(history.environment == .sandbox)
        #expect(history.asOf == date(1_595_440_486_402))
        var transaction = Transaction(
            originalTransactionId: "1",
            productId: "p",
            subscriptionGroupIdentifier: "20900001",
            purchaseDate: date(1_594_755_400_000),
            expiresDate: date(1_594_755_700_000),
            revocationDate: date(1_594_755_500_000),
            isUpgraded: true,
            ownership: .familyShared,
            appAccountToken: AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            offer: .introductory,
            transactionId: "2"
        )
        transaction.isFree = false
        #expect(history.transactions == [transaction])
        var renewal = RenewalInfo(
            originalTransactionId: "1",
            productId: "p",
            autoRenewStatus: false,
            hasExpirationIntent: true,
            isInBillingRetryPeriod: true,
            gracePeriodExpiresDate: date(1_594_756_000_000),
            offer: .promotional("o")
        )
        renewal.lapseReason = .voluntary
        #expect(history.renewals == [renewal])
    }

    @Test(
        "The first purchase, the reason of an end and the answer to a higher price are read, also by price_consent_status",
        arguments: [
            (#""price_increase_status":"0","price_consent_status":"1""#, .pending),
            (#""price_increase_status":1"#, .accepted),
            (#""price_consent_status":"0""#, .pending), (#""price_consent_status":"7""#, .unknown),
            ("\"x\":0", .notDue),
        ] as [(String, PriceIncrease)]
    )
    func signedFacts(members: String, increase: PriceIncrease) throws {
        let history = try read(
            #"""
            {"status":0,"receipt":{"original_purchase_date_ms":"1"},"latest_receipt_info":[{"original_transaction_id":"1",
            "product_id":"p","original_purchase_date_ms":"1594755400000"}],"pending_renewal_info":[{"product_id":"p",
            "original_transaction_id":"1","expiration_intent":"4",\#(members)}]}
            """#
        )
        #expect(history.transactions.map(\.originalPurchaseDate?.millisecondsSince1970) == [1_594_755_400_000])
        #expect(history.renewals?.map(\.lapseReason) == [.unavailable])
        #expect(history.renewals?.map(\.priceIncrease) == [increase])
    }

    @Test("in_app adds the subscriptions that latest_receipt_info leaves out, and no others")
    func inApp() throws {
        let history = try read(
            #"""
            {"status":0,"receipt":{"in_app":[{"original_transaction_id":"1","product_id":"old"},
            {"original_transaction_id":"2","product_id":"b"},{"transaction_id":"3","product_id":"c"}]},
            "latest_receipt_info":[{"original_transaction_id":"1","product_id":"new"}]}
            """#
        )
        #expect(history.transactions.map(\.productId) == ["new", "b", "c"])
        #expect(history.transactions.map(\.originalTransactionId) == ["1", "2", "3"])
    }

    @Test(
        "A list that is left out is empty where there is a receipt, and unknown where there is none",
        arguments: [
            (#"{"status":0,"receipt":{"bundle_id":"b"}}"#, true),
            (#"{"status":0,"receipt":{},"pending_renewal_info":null}"#, true),
            (#"{"status":0,"pending_renewal_info":[]}"#, true),
            (#"{"status":0,"latest_receipt_info":[]}"#, false),
            (#"{"status":0,"receipt":null}"#, false),
        ]
    )
    func absentLists(json: String, known: Bool) throws {
        #expect((try read(json).renewals != nil) == known)
    }

    @Test(
        "The date of an answer is read from its text where it has no milliseconds",
        arguments: [
            (#""request_date":"2020-07-22 17:54:46 Etc/GMT""#, 1_595_440_486_000),
            (#""request_date":"2020-07-22 17:54:46 Etc/GMT","request_date_ms":"""#, 1_595_440_486_000),
            (#""request_date":"soon","request_date_ms":"1595440486402""#, 1_595_440_486_402),
            (#""request_date_pst":"2020-07-22 10:54:46 America/Los_Angeles""#, nil as Int64?),
        ]
    )
    func requestDate(members: String, milliseconds: Int64?) throws {
        let history = try read(#"{"status":0,"receipt":{"bundle_id":"b",\#(members)}}"#)
        #expect(history.asOf == milliseconds.map { Timestamp(millisecondsSince1970: $0) })
    }

    @Test("iOS 6 style answers: one object, dates in milliseconds without _ms, bid, status 21006")
    func oldStyle() throws {
        let history = try read(
            #"""
            {"status":21006,"environment":"Production","receipt":{"bid":"com.example.old","product_id":"p",
            "original_transaction_id":"1","transaction_id":"1","expires_date":"1394619485000",
            "purchase_date":"2014-03-12 10:15:06 Etc/GMT"},
            "latest_expired_receipt_info":{"bid":"com.example.old","product_id":"p","original_transaction_id":"1",
            "transaction_id":"2","expires_date":1394619485000,"purchase_date_ms":1394619306000}}
            """#
        )
        #expect(history.bundleId == "com.example.old")
        #expect(history.asOf == nil)
        #expect(history.transactions.map(\.transactionId) == ["2", "1"])
        #expect(history.transactions.first?.expiresDate == Timestamp(millisecondsSince1970: 1_394_619_485_000))
        #expect(history.renewals == [])
    }

    @Test(
        "A date: milliseconds, or words where there are none; absent, null, empty or 0 is no date",
        arguments: [
            (#""expires_date":"2014-03-12 10:18:05 Etc/GMT""#, 1_394_619_485_000),
            (#""expires_date":"1970-01-01 00:00:01 Etc/GMT""#, 1000),
            (#""expires_date":"2000-02-29 23:59:59 Etc/GMT""#, 951_868_799_000),
            (#""expires_date":"2026-11-21 12:00:00 Etc/GMT""#, 1_795_262_400_000),
            (#""expires_date_ms":"7","expires_date":"2014-03-12 10:18:05 Etc/GMT""#, 7),
            (#""expires_date_ms":null"#, nil), (#""expires_date_ms":"""#, nil), (#""expires_date_ms":"0""#, nil),
            (#""expires_date_ms":0"#, nil),
        ] as [(String, Int64?)]
    )
    func dates(members: String, milliseconds: Int64?) throws {
        let cancellation = members.replacing("expires_date", with: "cancellation_date")
        let history = try read(#"{"status":0,"latest_receipt_info":[{\#(members),\#(cancellation)}]}"#)
        let transaction = try #require(history.transactions.first)
        #expect(transaction.expiresDate?.millisecondsSince1970 == milliseconds)
        #expect(transaction.revocationDate?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "A date in words that cannot be read is ignored beside the milliseconds, in whatever order they come",
        arguments: [
            #""soon""#, #""2014-13-12 10:18:05 Etc/GMT""#, #""2014-03-12 10:18:05 America/Los_Angeles""#, "true", "{}",
            "[1]",
        ]
    )
    func unreadableBesideMilliseconds(text: String) throws {
        let names = ["purchase_date", "expires_date", "cancellation_date", "grace_period_expires_date"]
        let words = names.map { "\"\($0)\":\(text)" }
        let milliseconds = names.enumerated().map { "\"\($1)_ms\":\"\($0 + 1)\"" }
        for members in [words + milliseconds, milliseconds + words] {
            let object = "{\"product_id\":\"p\",\(members.joined(separator: ","))}"
            let history = try read(
                "{\"status\":0,\"latest_receipt_info\":\(object),\"pending_renewal_info\":\(object),\"receipt\":\(object)}"
            )
            let transaction = try #require(history.transactions.first)
            #expect(transaction.purchaseDate?.millisecondsSince1970 == 1)
            #expect(transaction.expiresDate?.millisecondsSince1970 == 2)
            #expect(transaction.revocationDate?.millisecondsSince1970 == 3)
            #expect(history.renewals?.first?.gracePeriodExpiresDate?.millisecondsSince1970 == 4)
        }
    }

    @Test(
        "The offer of a transaction; is_trial_period alone shows that there was no trial, and whether the period is free",
        arguments: [
            // A promotional offer is never mistaken for an introductory one.
            (#""promotional_offer_id":"o","is_trial_period":"true""#, RedeemedOffer.promotional("o"), true, true),
            (#""promotional_offer_id":"o""#, .promotional("o"), false, nil),
            (#""is_trial_period":"false","promotional_offer_id":null"#, nil, true, false),
            (#""promotional_offer_id":"""#, nil, false, nil),
            (#""offer_code_ref_name":"c""#, .offerCode("c"), false, nil),
            (#""is_trial_period":"true""#, .introductory, true, true),
            (#""is_trial_period":"true","is_in_intro_offer_period":"false""#, .introductory, true, true),
            (#""is_in_intro_offer_period":"true","is_trial_period":"false""#, .introductory, true, false),
            (#""is_in_intro_offer_period":1"#, .introductory, true, nil),
            (#""is_trial_period":"false""#, nil, true, false),
            (#""is_trial_period":0,"is_in_intro_offer_period":"false""#, nil, true, false),
            (#""is_in_intro_offer_period":"false""#, nil, false, nil), (#""is_trial_period":null"#, nil, false, nil),
            (#""is_trial_period":"","is_in_intro_offer_period":"false""#, nil, false, nil),
        ] as [(String, RedeemedOffer?, Bool, Bool?)]
    )
    func offer(members: String, offer: RedeemedOffer?, isSaid: Bool, isFree: Bool?) throws {
        let history = try read(#"{"status":0,"latest_receipt_info":[{\#(members)}]}"#)
        let transaction = try #require(history.transactions.first)
        #expect(transaction.offer == offer)
        #expect(transaction.isOfferSaid == isSaid)
        #expect(transaction.isFree == isFree)
    }

    @Test(
        "The owner is the customer where it is not there, as in old answers, and is not known for any text but Apple's",
        arguments: [
            (#""product_id":"p""#, Ownership.purchased), (#""in_app_ownership_type":null"#, .purchased),
            (#""in_app_ownership_type":"PURCHASED""#, .purchased),
            (#""in_app_ownership_type":"FAMILY_SHARED""#, .familyShared),
            (#""in_app_ownership_type":"ASSIGNED""#, .assigned), (#""in_app_ownership_type":"""#, .unknown("")),
            (#""in_app_ownership_type":"purchased""#, .unknown("purchased")),
            (#""in_app_ownership_type":"GIFTED""#, .unknown("GIFTED")), (#""in_app_ownership_type":1"#, .unknown("1")),
        ]
    )
    func owner(members: String, expected: Ownership) throws {
        let row = #"{"transaction_id":"1",\#(members)}"#
        #expect(try read(#"{"status":0,"latest_receipt_info":[\#(row)]}"#).transactions.first?.ownership == expected)
        // The receipt has fewer members: what either list says of a transaction counts.
        let joined = try read(
            #"{"status":0,"latest_receipt_info":[{"transaction_id":"1"}],"receipt":{"in_app":[\#(row)]}}"#
        )
        #expect(joined.transactions.map(\.ownership) == [expected])
    }

    @Test("A cancellation is a refund for the reasons that Apple documents, and for others it is not known what it is")
    func cancellations() throws {
        for (reason, revocation) in [
            (#""0""#, nil), ("1", nil), ("null", nil), (#""7""#, Revocation(.unknown("reason 7"))),
        ] as [(String, Revocation?)] {
            let row = #"{"transaction_id":"1","cancellation_date_ms":"5","cancellation_reason":\#(reason)}"#
            let transaction = try read(#"{"status":0,"latest_receipt_info":[\#(row)]}"#).transactions.first
            #expect(transaction?.revocation == revocation)
            #expect(transaction?.revocationDate != nil)
        }
    }

    @Test("A row of a group without an entry stays, also one that the receipt alone has")
    func rowsWithoutEntry() throws {
        let history = try read(
            #"""
            {"status":0,"receipt":{"in_app":[{"transaction_id":"2","original_transaction_id":"2","product_id":"p"}]},
            "latest_receipt_info":[{"transaction_id":"1","original_transaction_id":"1","product_id":"p",
            "web_order_line_item_id":"31"}],"pending_renewal_info":[{"original_transaction_id":"1","product_id":"p"}]}
            """#
        )
        #expect(history.transactions.map(\.originalTransactionId) == ["1", "2"])
        #expect(history.transactions.map(\.webOrderLineItemId) == ["31", nil])
    }

    @Test(
        "An intent is any but zero, in whichever way it is written",
        arguments: [(#""0""#, false), ("0", false), (#""""#, false), ("null", false), (#""2""#, true), ("1", true)]
    )
    func intent(value: String, expected: Bool) throws {
        let history = try read(#"{"status":0,"pending_renewal_info":[{"expiration_intent":\#(value)}]}"#)
        #expect(history.renewals?.map(\.hasExpirationIntent) == [expected])
    }

    @Test(
        "The environment, from whichever member tells it",
        arguments: [
            (#""environment":"Production""#, AppStoreEnvironment.production),
            (#""environment":"Sandbox","receipt":{"receipt_type":"Production"}"#, .sandbox),
            (#""receipt":{"receipt_type":"ProductionVPP"}"#, .production),
            (#""receipt":{"receipt_type":"ProductionVPPSandbox"}"#, .sandbox), (#""environment":"Xcode""#, .xcode),
            (#""environment":"production""#, nil), (#""receipt":{}"#, nil),
        ] as [(String, AppStoreEnvironment?)]
    )
    func environment(members: String, expected: AppStoreEnvironment?) throws {
        #expect(try read(#"{"status":0,\#(members)}"#).environment == expected)
    }

    @Test("Members that decisions do not need are ignored, with any value")
    func unknownMembers() throws {
        _ = try read(
            #"{"status":0,"new":[{"deep":{"er":[1]}}],"receipt":{"new":{}},"latest_receipt_info":[{"new":[]}]}"#
        )
    }
}
