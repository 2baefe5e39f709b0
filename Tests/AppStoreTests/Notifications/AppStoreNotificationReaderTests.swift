import AppStore
import LedgerFixtures
import Offers
import SignedDataFixtures
import Testing

@Suite("Apple's notifications, and other payloads")
struct AppStoreNotificationReaderTests {
    private let signer: TestSigner
    private let stranger: TestSigner
    private let reader: AppStoreNotificationReader

    init() throws {
        let authority = try TestAuthority()
        signer = try authority.signer()
        stranger = try TestAuthority().signer()
        reader = AppStoreNotificationReader(
            apps: [
                AppStoreApp(bundleId: "com.example.reader", appAppleId: 12345, environments: [.production]),
                AppStoreApp(bundleId: "com.example.other", environments: [.sandbox]),
            ],
            verifier: SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
        )
    }

    private func transaction(_ bundleId: String = "com.example.reader", environment: String = "Production") -> String {
        #"""
        {"transactionId":"2","originalTransactionId":"1","bundleId":"\#(bundleId)","productId":"monthly",
        "subscriptionGroupIdentifier":"1","purchaseDate":1795000000000,"expiresDate":1797600000000,
        "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"\#(environment)","signedDate":1795262400000,
        "revocationDate":1795262300000,"revocationReason":0}
        """#
    }

    private func renewal(of original: String = "1") -> String {
        #"""
        {"originalTransactionId":"\#(original)","autoRenewProductId":"monthly","productId":"monthly",
        "autoRenewStatus":1,"environment":"Production","signedDate":1795262400000}
        """#
    }

    private func payload(
        type: String = "REFUND",
        data: String = #""bundleId":"com.example.reader","appAppleId":12345,"environment":"Production""#,
        _ more: String...
    ) -> String {
        #"""
        {"notificationType":"\#(type)","subtype":"","notificationUUID":"7e3fb20b","version":"2.0",
        "signedDate":1795262400500,"data":{\#(([data] + more).joined(separator: ","))}}
        """#
    }

    private func signedTransaction(_ payload: String? = nil) throws -> String {
        #""signedTransactionInfo":"\#(try signer.sign(payload ?? transaction()))""#
    }

    private func signedRenewal(_ payload: String? = nil) throws -> String {
        #""signedRenewalInfo":"\#(try signer.sign(payload ?? renewal()))""#
    }

    /// What a notification for an app of the catalog says.
    private func ours(_ signedPayload: String) throws -> AppleNotification {
        guard case .ours(let notification) = try reader.notification(signedPayload) else {
            throw SignedDataFault(.payloadMalformed, "It is for no app of the catalog.")
        }
        return notification
    }

    @Test("A notification that Apple signed is read, with its parts, which count from when they were signed")
    func genuine() throws {
        let text = try signer.sign(
            payload(data: payloadData, #""status":5"#, try signedTransaction(), try signedRenewal())
        )
        let notification = try ours(text)
        #expect(notification.type == "REFUND")
        #expect(notification.subtype == nil)
        #expect(notification.id == "7e3fb20b")
        #expect(notification.environment == .production)
        #expect(notification.signedDate.millisecondsSince1970 == 1_795_262_400_500)
        let history = try #require(notification.book)
        #expect(history.transactions.first?.revocationDate?.millisecondsSince1970 == 1_795_262_300_000)
        #expect(history.renewals?.first?.autoRenewStatus == true)
        // The notification itself was signed half a second later.
        let signed = Timestamp(millisecondsSince1970: 1_795_262_400_000)
        let chapter = try #require(history.chapters.first)
        #expect(chapter.transactions.map(\.asOf) == [signed] && chapter.renewal?.asOf == signed)
        let status = SubscriptionStatus(.revoked, asOf: notification.signedDate)
        #expect(history.renewals?.first?.status == status)
        #expect(history.coverage == .partial)
    }

    @Test("A notification that an app's additions to purchases make long is read whole")
    func long() throws {
        let items = #","advancedCommerceInfo":"\#(String(repeating: "i", count: 20_000))"}"#
        let transaction = String(transaction().dropLast()) + items
        let renewal = String(renewal().dropLast()) + items
        let text = try signer.sign(
            payload(data: payloadData, try signedTransaction(transaction), try signedRenewal(renewal))
        )
        #expect(text.utf8.count > 65_536)
        #expect(try ours(text).book?.transactions.count == 1)
    }

    @Test("A test, an unknown type and one without a transaction are notifications, too")
    func withoutTransaction() throws {
        for type in ["TEST", "SOMETHING_NEW"] {
            let notification = try ours(try signer.sign(payload(type: type)))
            #expect(notification.type == type)
            #expect(notification.book == nil)
            #expect(notification.isUnderstood)
        }
        let summary = payload(type: "RENEWAL_EXTENSION").replacing(#""data""#, with: #""summary""#)
        #expect(try ours(try signer.sign(summary)).bundleId == "com.example.reader")
        let token = #"""
            {"notificationType":"EXTERNAL_PURCHASE_TOKEN","notificationUUID":"1","signedDate":1795262400500,
            "externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1","bundleId":"com.example.other"}}
            """#
        #expect(try ours(try signer.sign(token)).environment == .sandbox)
    }

    private func code(_ signedPayload: String) -> String? {
        do {
            _ = try reader.notification(signedPayload)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test("A payload that is not Apple's, no notification, or for another environment or Apple ID is refused by code")
    func refused() throws {
        #expect(code("not a JWS") == "jws_malformed")
        #expect(code(try stranger.sign(payload())) == "jws_untrusted_root")
        #expect(code(try signer.sign(transaction())) == "jws_payload_malformed")
        let others = [
            #""bundleId":"com.example.reader","appAppleId":12345,"environment":"Sandbox""#,
            #""bundleId":"com.example.reader","appAppleId":54321,"environment":"Production""#,
            #""bundleId":"com.example.reader","environment":"Production""#,
        ]
        for data in others { #expect(code(try signer.sign(payload(data: data))) == "app_not_in_catalog", "\(data)") }
    }

    private func place(_ payload: String) throws -> String {
        switch try reader.notification(try signer.sign(payload)) {
        case .ours(let notification):
            notification.isUnderstood ? "understood" : notification.book == nil ? "recorded" : "learnt"
        case .ofOtherApp(let bundleId, let type): "\(bundleId) \(type)"
        case .ofNobody(let type): "nobody's \(type)"
        }
    }

    @Test("A genuine notification for an app that the catalog lacks is known as one, whatever else is in it")
    func otherApps() throws {
        for more in [#""environment":"Production""#, #""environment":"Moon""#, #""status":[]"#] {
            let data = #""bundleId":"com.example.unknown",\#(more)"#
            #expect(try place(payload(data: data)) == "com.example.unknown REFUND", "\(more)")
        }
    }

    @Test("A genuine notification that names no app, or no environment of Apple's, is nobody's, and no forgery")
    func nobodys() throws {
        let seats = #""unclaimInfo":{"unclaimSeatIds":["1"]}"#
        for other in [seats, #""data":null"#, #""data":"x""#, #""data":[]"#, #""data":{"bundleId":{}}"#] {
            let payload = #"""
                {"notificationType":"UNCLAIM_SEATS","notificationUUID":"1","signedDate":1795262400500,\#(other)}
                """#
            #expect(try place(payload) == "nobody's UNCLAIM_SEATS", "\(other)")
        }
        #expect(try place(payload(data: #""bundleId":"com.example.reader","environment":"Moon""#)) == "nobody's REFUND")
        #expect(try place(payload(data: #""bundleId":"com.example.reader""#)) == "nobody's REFUND")
    }

    @Test("Where a member, a transaction or a renewal info that Apple signed cannot be read, nothing is learnt")
    func unknownContents() throws {
        let unreadable = transaction().replacing(#""transactionId":"2""#, with: #""transactionId":{}"#)
        let undated = transaction().replacing("signedDate", with: "signedOn")
        let elsewhere = transaction(environment: "Moon")
        for text in [unreadable, undated, elsewhere, "{}", "[]"] {
            let data = payload(data: payloadData, try signedTransaction(text), try signedRenewal())
            #expect(try place(data) == "recorded", "\(text)")
        }
        for text in [renewal().replacing("Production", with: "Moon"), "{}"] {
            let data = payload(data: payloadData, try signedTransaction(), try signedRenewal(text))
            #expect(try place(data) == "recorded", "\(text)")
        }
        for member in [#""status":"new""#, #""status":{}"#, #""signedRenewalInfo":[]"#] {
            #expect(try place(payload(data: payloadData, try signedTransaction(), member)) == "recorded", "\(member)")
        }
        for subtype in [#"{"a":1}"#, #""a\u0000b""#] {
            let text = payload(data: payloadData, try signedTransaction())
            #expect(try place(text.replacing(#""subtype":"""#, with: #""subtype":\#(subtype)"#)) == "recorded")
        }
        // The same without any of it is understood.
        #expect(try place(payload(data: payloadData, try signedTransaction(), try signedRenewal())) == "understood")
    }

    @Test("A part that Apple did not sign is a forgery, beside whatever cannot be read")
    func forgedParts() throws {
        let forged = [
            #""signedTransactionInfo":"\#(try stranger.sign(transaction()))""#,
            #""signedRenewalInfo":"\#(try stranger.sign(renewal()))""#,
        ]
        for part in forged {
            #expect(code(try signer.sign(payload(data: payloadData, part, #""status":{}"#))) == "jws_untrusted_root")
        }
    }

    @Test("A transaction or renewal info that is not this app's, environment's or subscription's is refused")
    func foreignParts() throws {
        func code(_ parts: String...) throws -> String? {
            self.code(try signer.sign(payload(data: payloadData, parts.joined(separator: ","))))
        }
        #expect(try code(try signedTransaction(transaction("com.example.other"))) == "jws_mixed")
        #expect(try code(try signedTransaction(transaction(environment: "Sandbox"))) == "jws_mixed")
        #expect(try code(try signedTransaction(), try signedRenewal(renewal(of: "9"))) == "jws_mixed")
        let elsewhere = renewal().replacing("Production", with: "Sandbox")
        #expect(try code(try signedTransaction(), try signedRenewal(elsewhere)) == "jws_mixed")
        let forged = #""signedTransactionInfo":"\#(try stranger.sign(transaction()))""#
        #expect(try code(forged) == "jws_untrusted_root")
    }

    private var payloadData: String {
        #""bundleId":"com.example.reader","appAppleId":12345,"environment":"Production""#
    }
}
