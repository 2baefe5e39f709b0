import Foundation
import Offers
import StrictJSON

/// A notification with what has become of it.
struct StoreNotification: Sendable {
    /// After how many hours Apple tries again.
    static let retryHours: [Int64] = [1, 12, 24, 48, 72]

    let id: String
    let bundleId: String
    let environment: AppStoreEnvironment
    let kind: StoreEvent.Kind
    let subtype: StoreEvent.Subtype?
    let originalTransactionId: String?
    let date: Timestamp
    let signedPayload: String
    var attempts: [NotificationAttempt] = []

    var isDelivered: Bool { attempts.last?.result == .success }

    /// When it is to be sent next; `nil` when it was taken, or was tried often enough.
    var nextAttempt: Timestamp? {
        guard let last = attempts.last else { return date }
        guard !isDelivered, attempts.count <= Self.retryHours.count else { return nil }
        return last.date.adding(seconds: Self.retryHours[attempts.count - 1] * 3600)
    }

    /// Signs the notification of an event (`responseBodyV2DecodedPayload`); a test notification has no customer.
    init(
        _ event: StoreEvent,
        app: StoreApp,
        environment: AppStoreEnvironment,
        customer: StoreCustomer? = nil,
        signer: AppStoreSigner
    ) {
        let id = UUID().uuidString.lowercased()
        let payload = JSONWriter.text { json in
            json.member("notificationType", event.kind.rawValue)
            json.optional("subtype", event.subtype?.rawValue)
            json.member("notificationUUID", id)
            json.member("version", "2.0")
            json.date("signedDate", event.date)
            json.object("data") { json in
                if environment == .production { json.member("appAppleId", app.appAppleId) }
                json.member("bundleId", app.bundleId)
                json.member("environment", environment.rawValue)
                guard let subscription = event.subscription, let transaction = event.transaction, let customer else {
                    return
                }
                let payloads = Payloads(app, customer, signedDate: event.date)
                json.member("status", subscription.status)
                json.member("signedTransactionInfo", signer.jws(payloads.transaction(transaction)))
                json.member("signedRenewalInfo", signer.jws(payloads.renewal(subscription)))
            }
        }
        self.id = id
        bundleId = app.bundleId
        self.environment = environment
        kind = event.kind
        subtype = event.subtype
        originalTransactionId = event.subscription?.originalTransactionId
        date = event.date
        signedPayload = signer.jws(payload)
    }

    /// Writes the notification with its attempts (`notificationHistoryResponseItem`).
    func write(into json: inout JSONWriter) {
        json.member("signedPayload", signedPayload)
        json.objects("sendAttempts", attempts) { attempt, json in
            json.date("attemptDate", attempt.date)
            json.member("sendAttemptResult", attempt.result.rawValue)
        }
    }
}
