import Offers
import StrictJSON

/// The payload of a notification (`responseBodyV2DecodedPayload`), as far as it is needed.
///
/// What Apple adds is ignored. Which app it is for is in `data`, or in one of the members that stand in its place.
struct NotificationPayload {
    /// `notificationUUID`.
    private(set) var id: String?
    /// `notificationType`.
    private(set) var type: String?
    /// `subtype`.
    private(set) var subtype: String?
    /// The app.
    private(set) var bundleId: String?
    /// The app's Apple ID; the Sandbox leaves it out.
    private(set) var appAppleId: Int64?
    /// The environment, as it is named.
    private(set) var environmentName: String?
    /// What Apple says that the subscription is; `nil` where the notification is about none.
    private(set) var status: Int64?
    /// A signed transaction, a JWS.
    private(set) var signedTransaction: String?
    /// A signed renewal info, a JWS.
    private(set) var signedRenewalInfo: String?

    /// Reads a payload.
    ///
    /// - Parameter json: The text of one JSON object.
    /// - Throws: `JSONFault` when it cannot be read.
    init(json: [UInt8]) throws(JSONFault) {
        var payload = NotificationPayload()
        var reader = JSONReader(json, refusesDuplicates: false)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "notificationUUID": payload.id = try reader.readAppleIdentifier()
            case "notificationType": payload.type = try reader.readAppleIdentifier()
            case "subtype": payload.subtype = try reader.readAppleIdentifier()
            case "data", "summary", "appData", "externalPurchaseToken": try payload.readData(from: &reader)
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        self = payload
    }

    private init() {}

    private mutating func readData(from reader: inout JSONReader) throws(JSONFault) {
        guard try reader.nextType() == .object else {
            try reader.skipValue()
            return
        }
        var data = self
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": data.bundleId = try reader.readAppleText()
            case "appAppleId": data.appAppleId = try reader.readAppleInteger()
            case "environment": data.environmentName = try reader.readAppleText()
            case "externalPurchaseId":
                // A token of an external purchase names no environment: its identifier says it.
                let isSandbox = try reader.readAppleText()?.hasPrefix("SANDBOX") ?? false
                let environment = isSandbox ? AppStoreEnvironment.sandbox : .production
                data.environmentName = data.environmentName ?? environment.rawValue
            case "status": data.status = try reader.readAppleInteger()
            case "signedTransactionInfo": data.signedTransaction = try reader.readAppleText()
            case "signedRenewalInfo": data.signedRenewalInfo = try reader.readAppleText()
            default: try reader.skipValue()
            }
        }
        self = data
    }
}
