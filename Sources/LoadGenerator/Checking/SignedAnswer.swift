import StrictJSON

/// An answer of `POST /v1/signatures` or `/v1/eligibility`, as far as a load generator looks at it.
struct SignedAnswer {
    /// A decision.
    struct Decision {
        var productId = ""
        var offerId = ""
        var verdict = ""
        var reason = ""
        var discount: Discount?
    }

    /// What was signed, as text where the payload has it as text.
    struct Discount {
        var identifier = ""
        var keyIdentifier = ""
        var nonce = ""
        var timestamp: Int64 = 0
        var signature = ""
    }

    /// `bundleId`.
    private(set) var bundleId = ""
    /// `decisions`.
    private(set) var decisions: [Decision] = []
    /// `account`: the token or the name.
    private(set) var account = ""

    /// Reads an answer.
    ///
    /// - Parameter json: The body.
    /// - Throws: `JSONFault` when it is none.
    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var answer = SignedAnswer()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": answer.bundleId = try reader.readString()
            case "account":
                try reader.readObject { (_, reader) throws(JSONFault) in answer.account = try reader.readString() }
            case "decisions":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    answer.decisions.append(try Self.readDecision(&reader))
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        self = answer
    }

    private init() {}

    private static func readDecision(_ reader: inout JSONReader) throws(JSONFault) -> Decision {
        var decision = Decision()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "productId": decision.productId = try reader.readString()
            case "offerId": decision.offerId = try reader.readString()
            case "verdict": decision.verdict = try reader.readString()
            case "reason": decision.reason = try reader.readString()
            case "discount": decision.discount = try readDiscount(&reader)
            default: try reader.skipValue()
            }
        }
        return decision
    }

    private static func readDiscount(_ reader: inout JSONReader) throws(JSONFault) -> Discount {
        var discount = Discount()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "identifier": discount.identifier = try reader.readString()
            case "keyIdentifier": discount.keyIdentifier = try reader.readString()
            case "nonce": discount.nonce = try reader.readString()
            case "timestamp": discount.timestamp = try reader.readInt64()
            case "signature": discount.signature = try reader.readString()
            default: try reader.skipValue()
            }
        }
        return discount
    }
}
