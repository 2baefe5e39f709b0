import EvidenceRecognition
import Foundation
import Testing

/// Things in the wrong place, one line each: what the thing is, and what the error has to say of it.
@Suite("A thing in the wrong place is called by its name, and the error says where it belongs")
struct RecognisedContentTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let place: RecognisedContent.Place
        /// What the error says; empty where nothing is to be recognised.
        let says: [String]

        init(_ why: String, _ text: String, in place: RecognisedContent.Place, _ says: String...) {
            testDescription = why
            self.text = text
            self.place = place
            self.says = says
        }
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func jws(_ payload: String, header: String = #"{"alg":"ES256","x5c":[]}"#) -> String {
        [header, payload, "signature of some kind"].map { part in
            base64(part).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }.joined(separator: ".")
    }

    /// The first bytes of an app receipt, and some that need every character of Base64.
    private static let receiptBytes =
        Data([0x30, 0x82, 0x02, 0x5B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x82])
        + Data((0...255).map { UInt8($0) }) + Data([0xFB, 0xEF, 0xBE, 0xFF])
    static let receipt = receiptBytes.base64EncodedString()
    private static let urlEncoded = receipt.replacing("+", with: "%2B").replacing("/", with: "%2f")
        .replacing("=", with: "%3D")
    private static let indefinite =
        Data([0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x80, 0x30, 0x80])
        .base64EncodedString()
    private static let transaction = jws(
        #"{"transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","signedDate":1}"#
    )
    private static let renewalInfo = jws(
        #"{"originalTransactionId":"1","autoRenewProductId":"p","productId":"p","autoRenewStatus":1,"signedDate":1}"#
    )
    private static let appTransaction = jws(
        #"{"receiptType":"Production","bundleId":"b","appTransactionId":"704","originalApplicationVersion":"1"}"#
    )
    private static let notification = jws(
        #"{"notificationType":"DID_RENEW","notificationUUID":"u","data":{},"signedDate":1}"#
    )
    private static let retention = jws(
        #"{"originalTransactionId":"1","productId":"p","userLocale":"en-US","requestIdentifier":"u","appAppleId":1}"#
    )
    private static let offer = jws(
        #"{"iss":"i","aud":"promotional-offer","bid":"b","productId":"p","transactionId":"1"}"#,
        header: #"{"alg":"ES256","kid":"K","typ":"JWT"}"#
    )
    private static let answer = #"{"status":0,"environment":"Production","receipt":{},"latest_receipt_info":[]}"#
    private static let oldNotification =
        #"{"notification_type":"CANCEL","unified_receipt":{"status":0},"password":"hunter2"}"#
    private static let unity = #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"MIAGCSqGSIb3DQEHAqCAMIAC"}"#
    private static let rows = [
        Row("a transaction as receipt", transaction, in: .receipt, "StoreKit transaction (JWS)", "signedTransactions"),
        Row("a renewal info as receipt", renewalInfo, in: .receipt, "renewal info (JWS)", "signedRenewalInfos"),
        Row("an AppTransaction as receipt", appTransaction, in: .receipt, "AppTransaction", "into transactionId"),
        Row("a notification as receipt", notification, in: .receipt, "Notification", "/v1/notifications"),
        Row("a JWS of another kind as receipt", jws("{}"), in: .receipt, "a JWS", "signedTransactions"),
        Row("a JWS whose payload is no JSON", jws("x"), in: .receipt, "a JWS", "signedTransactions"),
        Row("our own offer among transactions", offer, in: .signedTransactions, "a JWS of another kind"),
        Row("a renewal info among transactions", renewalInfo, in: .signedTransactions, "goes into signedRenewalInfos"),
        Row("a transaction among renewal infos", transaction, in: .signedRenewalInfos, "goes into signedTransactions"),
        Row("a notification among transactions", notification, in: .signedTransactions, "POST /v1/notifications"),
        Row("a retention request as signedPayload", retention, in: .signedPayload, "/v1/retention-messages"),
        Row("a transaction in Base64", base64(transaction), in: .signedTransactions, "in Base64", "Send it as it is"),
        Row("a transaction among transactions", transaction, in: .signedTransactions),
        Row("one with blanks, for its reader to name", transaction.replacing(".", with: ". "), in: .signedTransactions),
        Row("a notification as signedPayload", notification, in: .signedPayload),
        Row("a JWS of another kind there, for its reader to name", jws("{}"), in: .signedPayload),
        Row("a receipt as receipt", receipt, in: .receipt),
        Row("a receipt of indefinite length", indefinite, in: .receipt),
        Row("a receipt in Base64 twice", base64(receipt), in: .receipt, "a receipt in Base64 twice", "as it is"),
        Row("a receipt, URL-encoded", urlEncoded, in: .receipt, "a receipt, URL-encoded.", "with its plus signs"),
        Row("a receipt with blanks for plus signs", receipt.replacing("+", with: " "), in: .receipt, "URL-encoded"),
        Row("the same among transactions", urlEncoded, in: .signedTransactions, "URL-encoded.", "goes into receipt"),
        Row("percent signs of anything", "50% of this is 100%25", in: .receipt),
        Row("a blank with an accent on it", "AAAA \u{301}AAAA", in: .receipt),
        Row("a receipt among transactions", receipt, in: .signedTransactions, "a receipt.", "goes into receipt"),
        Row("a receipt as receiptResponse", receipt, in: .receiptResponse, "a receipt.", "goes into receipt"),
        Row("a verifyReceipt answer as receipt", answer, in: .receipt, "verifyReceipt answer", "receiptResponse"),
        Row("the same in Base64", base64(answer), in: .receipt, "verifyReceipt answer in Base64", "receiptResponse"),
        Row("an answer with a status alone", #"{"status":21003}"#, in: .receipt, "verifyReceipt answer"),
        Row("a notification of version 1", oldNotification, in: .receiptResponse, "version 1", "Choose version 2"),
        Row("the same as signedPayload", oldNotification, in: .signedPayload, "Choose version 2 in App Store Connect"),
        Row("a decoded transaction", #"{"transactionId":"1"}"#, in: .receipt, "decoded", "jwsRepresentation"),
        Row("a transaction id as receipt", "2000000123456789", in: .receipt, "transaction identifier", "transactionId"),
        Row("an account as transactionId", uuid, in: .transactionId, "a UUID", "appAccountToken"),
        Row("Unity's receipt", unity, in: .receipt, "Unity IAP (JSON). Apple's receipt is the text of its Payload"),
        Row("the same in Base64", base64(unity), in: .receipt, "Unity IAP (JSON) in Base64", "into receipt"),
        Row("the same among transactions", unity, in: .signedTransactions, "signedTransactions where it is a JWS"),
        Row("the same after a line break", "\r\n" + unity, in: .transactionId, "Unity IAP"),
        Row("a private key", "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END", in: .receipt, "a private key", "revoke"),
        Row("JSON of another kind", #"{"a":1}"#, in: .transactionId),
        Row("a word", "receipt", in: .receipt), Row("nothing", "", in: .receipt), Row("dots", "a.b.c", in: .receipt),
        Row("Base64 of anything", "AAAAAAAAAAAAAAAAAAAAAAAA", in: .receipt),
        Row("Base64 of Base64 of anything", base64(base64("a word that says nothing")), in: .receipt),
        Row("Base64 of digits", base64("2000000123456789"), in: .receipt),
        Row("brackets", String(repeating: "{", count: 5000), in: .receipt),
    ]
    private static let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    @Test(arguments: rows)
    func says(row: Row) throws {
        guard !row.says.isEmpty else {
            #expect(RecognisedContent(row.text)?.detail(in: row.place) == nil)
            return
        }
        let detail = try #require(RecognisedContent(row.text)?.detail(in: row.place))
        for words in row.says { #expect(detail.contains(words), "\(detail)") }
        #expect(!detail.contains("hunter2") && detail.utf8.count < 400)
    }

    @Test("A receipt as nearly all are is known by its first bytes")
    func beginning() {
        #expect(RecognisedContent.beginsAsReceipt(Self.receipt))
        #expect(RecognisedContent.beginsAsReceipt(Self.indefinite))
        for other in ["", "MIIB", "AAAA", Self.base64(Self.receipt)] {
            #expect(!RecognisedContent.beginsAsReceipt(other))
        }
    }
}
