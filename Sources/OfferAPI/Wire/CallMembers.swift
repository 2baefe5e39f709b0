import OfferService
import Offers
import StrictJSON

/// The members of the bodies of `POST /v1/signatures`, `/v1/eligibility` and
/// `/v1/introductory-eligibility-signatures`, well-formed, in any order.
struct CallMembers {
    /// Offers or products of one request.
    static let maximumOffers = 100
    /// Formats of one call, repeated ones included.
    static let maximumFormats = 10
    /// Bytes of an identifier in UTF-8; Apple's are far shorter.
    static let maximumIdentifierBytes = 255

    private(set) var bundleId: String?
    private(set) var evidence: Evidence?
    private(set) var offers: [OfferRequest]?
    private(set) var formats: Set<SignatureFormat> = [.discount]
    private(set) var explain = false
    private(set) var products: [String]?
    private(set) var transactionId: String?
    private(set) var allowIntroductoryOffer = true
    private(set) var originalTransactionId: String?
    private(set) var at: Timestamp?
    private var appAccountToken: AppAccountToken?
    private var applicationUsername: String?

    init(json: [UInt8], of call: CustomerCall) throws(JSONFault) {
        var reader = JSONReader(json)
        try reader.readObject(CallMember.table) { (member, reader) throws(JSONFault) in
            guard let member, call.has(member) else { throw call.unknown(member) }
            switch member {
            case .bundleId: bundleId = try reader.readIdentifier()
            case .appAccountToken:
                guard let token = AppAccountToken(try reader.readString()) else {
                    throw JSONFault(.invalidValue, "An appAccountToken is a UUID: 8-4-4-4-12 hexadecimal digits.")
                }
                appAccountToken = token
            case .applicationUsername: applicationUsername = try reader.readUsername()
            case .evidence: evidence = try Evidence(reading: &reader)
            case .offers: offers = try reader.readOffers()
            case .formats: formats = try reader.readFormats()
            case .explain: explain = try reader.readBool()
            case .products: products = try reader.readProducts()
            case .transactionId: transactionId = try reader.readTransactionId()
            case .allowIntroductoryOffer: allowIntroductoryOffer = try reader.readBool()
            case .originalTransactionId: originalTransactionId = try reader.readTransactionId()
            case .at: at = try reader.readMoment()
            }
        }
        try reader.readEnd()
        guard originalTransactionId == nil || evidence == nil else {
            throw JSONFault(
                .invalidValue,
                "An originalTransactionId asks for what is held: it does not stand beside evidence."
            ).inside(member: "originalTransactionId")
        }
    }

    func account() throws(JSONFault) -> Account {
        switch (appAccountToken, applicationUsername) {
        case (let token?, nil): return .appAccountToken(token)
        case (nil, let name?): return .applicationUsername(name)
        case (nil, nil):
            guard evidence == nil, originalTransactionId == nil else { return .none }
            throw JSONFault(
                .missingMember,
                "Neither evidence nor an account is there: send evidence, or the account whose state the service holds."
            ).inside(member: "evidence")
        case (_?, _?):
            throw JSONFault(.invalidValue, "Send appAccountToken or applicationUsername, not both.")
                .inside(member: "applicationUsername")
        }
    }
}

extension JSONReader {
    fileprivate mutating func readText(maximumBytes: Int) throws(JSONFault) -> String {
        let text = try readString()
        guard !text.isEmpty else {
            throw JSONFault(.invalidValue, "The string is empty; leave the member out where there is no value.")
        }
        guard text.utf8.count <= maximumBytes else {
            throw JSONFault(.invalidValue, "The string has more than \(maximumBytes) bytes.")
        }
        guard !InvisibleSeparator.isFound(in: text) else {
            throw JSONFault(.invalidValue, "The string holds U+2063, which separates the fields of the signed payload.")
        }
        return text
    }

    /// Reads an identifier that could be one of App Store Connect.
    mutating func readIdentifier() throws(JSONFault) -> String {
        let identifier = try readText(maximumBytes: CallMembers.maximumIdentifierBytes)
        guard !ControlCharacter.isFound(in: identifier) else {
            throw JSONFault(.invalidValue, "An identifier has no control characters.")
        }
        return identifier
    }

    /// Reads milliseconds since 1970, in years that a date can be written in.
    fileprivate mutating func readMoment() throws(JSONFault) -> Timestamp {
        let milliseconds = try readInt64()
        guard (0..<253_402_300_800_000).contains(milliseconds) else {
            throw JSONFault(.invalidValue, "The moment is in milliseconds since 1970.")
        }
        return Timestamp(millisecondsSince1970: milliseconds)
    }

    fileprivate mutating func readUsername() throws(JSONFault) -> String {
        try readText(maximumBytes: Account.maximumUsernameBytes)
    }

    fileprivate mutating func readOffers() throws(JSONFault) -> [OfferRequest] {
        var offers: [OfferRequest] = []
        try expectOffer(.array, "The offers are an array of objects")
        try readArray { (index, reader) throws(JSONFault) in
            guard index < CallMembers.maximumOffers else {
                throw JSONFault(.invalidValue, "A request may ask for \(CallMembers.maximumOffers) offers at most.")
            }
            offers.append(try reader.readOffer())
        }
        guard !offers.isEmpty else { throw JSONFault(.invalidValue, "Ask for at least one offer.") }
        return offers
    }

    private mutating func readOffer() throws(JSONFault) -> OfferRequest {
        var productId: String?
        var offerId: String?
        try expectOffer(.object, "An offer is an object")
        try readObject(OfferMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .productId: productId = try reader.readIdentifier()
            case .offerId: offerId = try reader.readIdentifier()
            case nil: throw JSONFault(unknownAmong: OfferMember.allCases.map(\.rawValue))
            }
        }
        guard let productId else {
            throw JSONFault(.missingMember, "An offer names its productId.").inside(member: "productId")
        }
        guard let offerId else {
            throw JSONFault(.missingMember, "An offer names its offerId.").inside(member: "offerId")
        }
        return OfferRequest(productId: productId, offerId: offerId)
    }

    /// Refuses a value of another type than an offer or their list; the sentence shows one, as many send the id alone.
    private mutating func expectOffer(_ type: JSONType, _ sentence: String) throws(JSONFault) {
        let found = try nextType()
        guard found != type else { return }
        let example = #"{"productId": "…", "offerId": "…"}"#
        throw JSONFault(
            .wrongType,
            "\(sentence), such as \(type == .array ? "[\(example)]" : example); this is \(found.phrase)."
        )
    }

    fileprivate mutating func readFormats() throws(JSONFault) -> Set<SignatureFormat> {
        var formats: Set<SignatureFormat> = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < CallMembers.maximumFormats else {
                throw JSONFault(.invalidValue, "A request may name \(CallMembers.maximumFormats) formats at most.")
            }
            guard let format = SignatureFormat(rawValue: try reader.readString()) else {
                throw JSONFault(.invalidValue, "There is no such format: discount and jws are the two.")
            }
            formats.insert(format)
        }
        // Generated clients send an empty list where the caller named none.
        return formats.isEmpty ? [.discount] : formats
    }

    fileprivate mutating func readProducts() throws(JSONFault) -> [String] {
        var products: [String] = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < CallMembers.maximumOffers else {
                throw JSONFault(.invalidValue, "A request may ask about \(CallMembers.maximumOffers) products at most.")
            }
            products.append(try reader.readIdentifier())
        }
        return products
    }
}

private enum OfferMember: String, CaseIterable {
    case productId
    case offerId

    static let table = JSONMembers(OfferMember.self)
}
