import AppStore
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

    @Test("A notification that Apple signed is read, with its transaction and renewal info")
    func genuine() throws {
        let text = try signer.sign(
            payload(data: payloadData, #""status":5"#, try signedTransaction(), try signedRenewal())
        )
        let notification = try reader.notification(text)
        #expect(notification.type == "REFUND")
        #expect(notification.subtype == nil)
        #expect(notification.id == "7e3fb20b")
        #expect(notification.environment == .production)
        #expect(notification.signedDate.millisecondsSince1970 == 1_795_262_400_500)
        let history = try #require(notification.history)
        #expect(history.transactions.first?.revocationDate?.millisecondsSince1970 == 1_795_262_300_000)
        #expect(history.renewals?.first?.autoRenewStatus == true)
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
        #expect(try reader.notification(text).history?.transactions.count == 1)
    }

    @Test("A test, an unknown type and one without a transaction are notifications, too")
    func withoutTransaction() throws {
        for type in ["TEST", "SOMETHING_NEW"] {
            let notification = try reader.notification(try signer.sign(payload(type: type)))
            #expect(notification.type == type)
            #expect(notification.history == nil)
        }
        let summary = payload(type: "RENEWAL_EXTENSION").replacing(#""data""#, with: #""summary""#)
        #expect(try reader.notification(try signer.sign(summary)).bundleId == "com.example.reader")
        let token = #"""
            {"notificationType":"EXTERNAL_PURCHASE_TOKEN","notificationUUID":"1","signedDate":1795262400500,
            "externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1","bundleId":"com.example.other"}}
            """#
        #expect(try reader.notification(try signer.sign(token)).environment == .sandbox)
    }

    private func code(_ signedPayload: String) -> String? {
        do {
            _ = try reader.notification(signedPayload)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test("A payload that is not Apple's, or not for an app of the catalog, is refused by code")
    func refused() throws {
        #expect(code("not a JWS") == "jws_malformed")
        #expect(code(try stranger.sign(payload())) == "jws_untrusted_root")
        #expect(code(try signer.sign(transaction())) == "jws_payload_malformed")
        let others = [
            #""bundleId":"com.example.unknown","environment":"Production""#,
            #""bundleId":"com.example.reader","appAppleId":12345,"environment":"Sandbox""#,
            #""bundleId":"com.example.reader","appAppleId":54321,"environment":"Production""#,
            #""bundleId":"com.example.reader","environment":"Production""#,
            #""bundleId":"com.example.reader","environment":"Moon""#,
        ]
        for data in others { #expect(code(try signer.sign(payload(data: data))) == "app_not_in_catalog", "\(data)") }
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
