import AppStore
import Offers
import Testing

/// Answers about receipts of other days, one line each: what the answer is, what comes of it for an offer to anyone, and
/// for the introductory offer.
@Suite("Old receipts")
struct OldReceiptTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: String
        let offer: Reason
        let introductory: IntroductoryReason

        init(_ why: String, _ json: String, _ offer: Reason, _ introductory: IntroductoryReason) {
            self.testDescription = why
            self.json = json
            self.offer = offer
            self.introductory = introductory
        }
    }

    private static let now: Int64 = 1_795_262_400_000
    private static let past = now - 864_000_000
    private static let future = now + 864_000_000

    /// An iOS 6 style receipt of one transaction: dates in milliseconds without `_ms`, and `bid`.
    private static func single(_ product: String = "p", until expiry: Int64, _ more: String = "", id: Int = 1) -> String
    {
        #"""
        {"bid":"com.example.old","product_id":"\#(product)","original_transaction_id":1,"transaction_id":\#(id),
        "purchase_date":"2026-10-01 10:15:06 Etc/GMT","expires_date":\#(expiry),"is_trial_period":"false"\#(more)}
        """#
    }

    private static let dated = #","request_date_ms":"\#(now)""#
    private static let entry = #""pending_renewal_info":[{"original_transaction_id":"1","product_id":"p"}]"#
    private static let appReceipt =
        #""bundle_id":"com.example.old","receipt_type":"Production","request_date_ms":\#(now)"#

    private static let rows: [Row] = [
        Row(
            "iOS 6 style, no date of the answer: its age is unknown",
            #"{"status":0,"environment":"Production","receipt":\#(single(until: future))}"#,
            .evidenceStale,
            .evidenceStale
        ),
        Row(
            "iOS 6 style, dated, running: no entry makes a subscriber, but a subscription is running",
            #"{"status":0,"environment":"Production","receipt":\#(single(until: future, dated))}"#,
            .noPendingRenewalInfo,
            .activeSubscription
        ),
        Row(
            "iOS 6 style, dated, with an entry: as any subscriber",
            #"{"status":0,"environment":"Production","receipt":\#(single(until: future, dated)),\#(entry)}"#,
            .active,
            .activeSubscription
        ),
        Row(
            "iOS 6 style, expired by status 21006, with an entry: lapsed; what was before it is not shown",
            #"{"status":21006,"environment":"Production","receipt":\#(single(until: past, dated)),\#(entry)}"#,
            .lapsed,
            .noEvidence
        ),
        Row(
            "iOS 6 style, running, its renewal in members of the answer: as any subscriber",
            #"{"status":0,"environment":"Production","receipt":\#(single(until: future, dated)),"auto_renew_status":1}"#,
            .active,
            .activeSubscription
        ),
        Row(
            "iOS 6 style, running, and will not renew",
            #"{"status":0,"environment":"Production","receipt":\#(single(until: future, dated)),"auto_renew_status":0}"#,
            .activeAutoRenewOff,
            .activeSubscription
        ),
        Row(
            "iOS 6 style, expired, in billing retry",
            #"""
            {"status":21006,"environment":"Production","receipt":\#(single(until: past - 5000, dated)),
            "latest_expired_receipt_info":\#(single(until: past)),"auto_renew_status":"1","expiration_intent":"2",
            "is_in_billing_retry_period":"1"}
            """#,
            .billingRetry,
            .noEvidence
        ),
        Row(
            "an app receipt has its renewals in pending_renewal_info, whatever stands beside it",
            #"{"status":0,"receipt":{\#(appReceipt),"in_app":[\#(single(until: past))]},"auto_renew_status":1}"#,
            .noPendingRenewalInfo,
            .neverUsed
        ),
        Row(
            "iOS 6 style, of another product: says nothing of this one's group",
            #"{"status":21006,"environment":"Production","receipt":\#(single("q", until: past, dated))}"#,
            .noEvidence,
            .noEvidence
        ),
        Row(
            "status 21006 with one object in latest_expired_receipt_info, the newest period alone: the periods between are not shown",
            #"""
            {"status":21006,"environment":"Production","receipt":\#(single(until: past - 5000, dated)),
            "latest_expired_receipt_info":\#(single(until: past)),\#(entry)}
            """#,
            .lapsed,
            .noEvidence
        ),
        Row(
            "status 21006 without an entry: subscribed once, no sign of it now",
            #"{"status":21006,"environment":"Production","receipt":\#(single(until: past, dated))}"#,
            .noPendingRenewalInfo,
            .noEvidence
        ),
        Row(
            "status 21006 after a trial: the trial was used",
            #"""
            {"status":21006,"environment":"Production",
            "receipt":\#(single(until: past, dated + #","is_trial_period":"true""#)),\#(entry)}
            """#,
            .lapsed,
            .alreadyUsed
        ),
        Row(
            "an app receipt without pending_renewal_info: the purchase is seen, its renewal is not",
            #"{"status":0,"receipt":{\#(appReceipt),"in_app":[\#(single(until: past))]}}"#,
            .noPendingRenewalInfo,
            .neverUsed
        ),
        Row(
            "an app receipt with an empty pending_renewal_info says the same",
            #"{"status":0,"receipt":{\#(appReceipt),"in_app":[\#(single(until: past))]},"pending_renewal_info":[]}"#,
            .noPendingRenewalInfo,
            .neverUsed
        ),
        Row(
            "an app receipt without any purchase, and no latest_receipt_info: no subscription was bought",
            #"{"status":0,"receipt":{\#(appReceipt)}}"#,
            .neverSubscribed,
            .neverUsed
        ),
        Row(
            "asked with exclude-old-transactions: the receipt shows a period that the list leaves out, and it may be a trial",
            #"""
            {"status":0,"receipt":{\#(appReceipt),"in_app":[\#(single(until: past - 5000, id: 0))]},
            "latest_receipt_info":[\#(single(until: past))],\#(entry)}
            """#,
            .lapsed,
            .noEvidence
        ),
        Row(
            "the receipt and the list show the same period: nothing is left out",
            #"""
            {"status":0,"receipt":{\#(appReceipt),"in_app":[\#(single(until: past))]},
            "latest_receipt_info":[\#(single(until: past))],\#(entry)}
            """#,
            .lapsed,
            .neverUsed
        ),
        Row(
            "a consumable only: never makes anyone a subscriber",
            #"{"status":0,"receipt":{\#(appReceipt),"in_app":[{"product_id":"coins","transaction_id":"7"}]}}"#,
            .neverSubscribed,
            .neverUsed
        ),
        Row(
            "a non-renewing subscription only: has no expiry in the answer, and no group",
            #"""
            {"status":0,"receipt":{\#(appReceipt),"in_app":[{"product_id":"season","transaction_id":"7",
            "purchase_date_ms":\#(past),"is_trial_period":"false"}]}}
            """#,
            .neverSubscribed,
            .neverUsed
        ),
        Row(
            "a receipt of another app: says nothing of this one",
            #"{"status":0,"receipt":{"bundle_id":"com.example.new","receipt_type":"Production","request_date_ms":1}}"#,
            .bundleMismatch,
            .noEvidence
        ),
        Row(
            "iOS 6 style of another app, by bid",
            #"{"status":0,"environment":"Production","receipt":{"bid":"com.example.new","product_id":"p"}}"#,
            .bundleMismatch,
            .noEvidence
        ),
    ]

    private static let app = App(
        bundleId: "com.example.old",
        subscriptionGroups: [
            SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "anyone")])])
        ]
    )

    private func customer(_ json: String) throws -> Customer {
        let book = try AppStoreEvidenceReader().book(from: .receiptResponse(json: Array(json.utf8)))
        return Customer(account: .none, book: book)
    }

    @Test("Each has its answer", arguments: rows)
    func row(_ row: Row) throws {
        let (app, customer) = (Self.app, try customer(row.json))
        let now = Timestamp(millisecondsSince1970: Self.now)
        var offers = OfferPolicy(app: app, customer: customer, now: now, maximumEvidenceAgeSeconds: 86400)
        #expect(offers.decide(OfferRequest(productId: "p", offerId: "anyone")).reason == row.offer)
        var introductory = IntroductoryPolicy(app: app, customer: customer, now: now, maximumEvidenceAgeSeconds: 86400)
        #expect(introductory.decide("p").reason == row.introductory)
    }
}
