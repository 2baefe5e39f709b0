public import Offers
public import StrictJSON

extension SignatureReport {
    /// Reads the body of `POST /v1/diagnoses`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - onlyApp: The app that is meant where the body names none.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    public init(json: [UInt8], onlyApp: String? = nil) throws(JSONFault) {
        var texts: [String: String] = [:]
        var timestamp: Int64?
        var storeKitError: Int?
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "timestamp": timestamp = try reader.readInt64()
            case "storeKitError": storeKitError = Int(try reader.readInt64())
            case "bundleId", "keyIdentifier", "productId", "offerId", "nonce", "signature", "appAccountToken",
                "applicationUsername":
                let text = try reader.readString()
                guard text.utf8.count <= 4096 else {
                    throw JSONFault(.invalidValue, "The string has more than 4096 bytes.")
                }
                texts[name] = text
            default:
                throw JSONFault(
                    unknownAmong: [
                        "bundleId", "keyIdentifier", "productId", "offerId", "appAccountToken", "applicationUsername",
                        "nonce", "timestamp", "signature", "storeKitError",
                    ]
                )
            }
        }
        try reader.readEnd()
        func required<Value>(_ name: String, _ value: Value?) throws(JSONFault) -> Value {
            guard let value else {
                throw JSONFault(.missingMember, "The member is missing: report all that the app gave StoreKit.")
                    .inside(member: name)
            }
            return value
        }
        func required(_ name: String) throws(JSONFault) -> String { try required(name, texts[name]) }
        let moment = try required("timestamp", timestamp)
        let bundleId = if let onlyApp, texts["bundleId"] == nil { onlyApp } else { try required("bundleId") }
        self.init(
            bundleId: bundleId,
            keyIdentifier: try required("keyIdentifier"),
            productId: try required("productId"),
            offerId: try required("offerId"),
            account: try Self.account(texts["appAccountToken"], texts["applicationUsername"]),
            nonce: try required("nonce"),
            timestamp: moment,
            signature: try required("signature"),
            storeKitError: storeKitError
        )
    }

    /// The account that was set on the payment.
    private static func account(_ token: String?, _ name: String?) throws(JSONFault) -> Account {
        switch (token, name) {
        case (let token?, nil):
            guard let token = AppAccountToken(token) else {
                throw JSONFault(.invalidValue, "An appAccountToken is a UUID: 8-4-4-4-12 hexadecimal digits.")
                    .inside(member: "appAccountToken")
            }
            return .appAccountToken(token)
        case (nil, let name?): return name.isEmpty ? .none : .applicationUsername(name)
        case (nil, nil): return .none
        case (_?, _?):
            throw JSONFault(.invalidValue, "Send appAccountToken or applicationUsername, not both.")
                .inside(member: "applicationUsername")
        }
    }
}
