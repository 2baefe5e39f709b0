import Offers
package import StrictJSON

extension SignatureCall {
    /// Reads the body of a call.
    ///
    /// - Parameter json: The body.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    package convenience init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var fields = Fields()
        try reader.readObject(CallMember.table) { (member, reader) throws(JSONFault) in
            try fields.read(member, from: &reader, of: .signatures)
        }
        try reader.readEnd()
        guard let offers = fields.offers else {
            throw JSONFault(.missingMember, "The offers to sign are missing.").inside(member: "offers")
        }
        let account = try fields.account()
        try fields.requireSomebody()
        self.init(
            bundleId: fields.bundleId,
            account: account,
            evidence: fields.evidence,
            offers: offers,
            formats: fields.formats,
            explain: fields.explain
        )
    }

    /// The members as they come, in any order; `POST /v1/eligibility` has the same and more.
    struct Fields {
        private(set) var bundleId: String?
        private(set) var evidence: Evidence?
        private(set) var offers: [OfferRequest]?
        private(set) var formats: Set<SignatureFormat> = [.discount]
        private(set) var explain = false
        private var appAccountToken: AppAccountToken?
        private var applicationUsername: String?

        init() {}

        /// Reads one member.
        ///
        /// - Parameters:
        ///   - member: The member; `nil` for one that no call has.
        ///   - reader: The reader, at the member's value.
        ///   - call: The call that it is a member of.
        /// - Throws: `JSONFault`, with a pointer from the member's value on.
        mutating func read(
            _ member: CallMember?,
            from reader: inout JSONReader,
            of call: CallMember.Call
        ) throws(JSONFault) {
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
            case .products, .transactionId, .allowIntroductoryOffer, nil:
                throw JSONFault(unknownAmong: call.members.map(\.rawValue))
            }
        }

        /// Checks that there is somebody to decide about.
        ///
        /// - Throws: `JSONFault` when neither evidence nor an account is there.
        func requireSomebody() throws(JSONFault) {
            if evidence == nil, appAccountToken == nil, applicationUsername == nil {
                throw JSONFault(
                    .missingMember,
                    "Neither evidence nor an account is there: send evidence, or the account whose state the service "
                        + "holds."
                ).inside(member: "evidence")
            }
        }

        /// The account.
        ///
        /// - Returns: The account that is named; none where none is.
        /// - Throws: `JSONFault` when two are.
        func account() throws(JSONFault) -> Account {
            switch (appAccountToken, applicationUsername) {
            case (let token?, nil): return .appAccountToken(token)
            case (nil, let name?): return .applicationUsername(name)
            case (nil, nil): return .none
            case (_?, _?):
                throw JSONFault(.invalidValue, "Send appAccountToken or applicationUsername, not both.")
                    .inside(member: "applicationUsername")
            }
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

    /// Reads an identifier of App Store Connect, or one that could be.
    ///
    /// - Returns: The identifier.
    /// - Throws: `JSONFault` when it is empty, too long, or holds U+2063 or a control character.
    mutating func readIdentifier() throws(JSONFault) -> String {
        let identifier = try readText(maximumBytes: SignatureCall.maximumIdentifierBytes)
        guard !ControlCharacter.isFound(in: identifier) else {
            throw JSONFault(.invalidValue, "An identifier has no control characters.")
        }
        return identifier
    }

    fileprivate mutating func readUsername() throws(JSONFault) -> String {
        try readText(maximumBytes: Account.maximumUsernameBytes)
    }

    fileprivate mutating func readOffers() throws(JSONFault) -> [OfferRequest] {
        var offers: [OfferRequest] = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < SignatureCall.maximumOffers else {
                throw JSONFault(.invalidValue, "A request may ask for \(SignatureCall.maximumOffers) offers.")
            }
            offers.append(try reader.readOffer())
        }
        guard !offers.isEmpty else { throw JSONFault(.invalidValue, "Ask for at least one offer.") }
        return offers
    }

    private mutating func readOffer() throws(JSONFault) -> OfferRequest {
        var productId: String?
        var offerId: String?
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

    fileprivate mutating func readFormats() throws(JSONFault) -> Set<SignatureFormat> {
        var formats: Set<SignatureFormat> = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < SignatureCall.maximumFormats else {
                throw JSONFault(.invalidValue, "A request may name \(SignatureCall.maximumFormats) formats.")
            }
            guard let format = SignatureFormat(rawValue: try reader.readString()) else {
                throw JSONFault(.invalidValue, "There is no such format: discount and jws are the two.")
            }
            formats.insert(format)
        }
        guard !formats.isEmpty else {
            throw JSONFault(.invalidValue, "Name a format, or leave the member out for discount.")
        }
        return formats
    }

    /// Reads products that are asked about.
    ///
    /// - Returns: At most 100 product identifiers.
    /// - Throws: `JSONFault` when there are more, or one is no identifier.
    mutating func readProducts() throws(JSONFault) -> [String] {
        var products: [String] = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < SignatureCall.maximumOffers else {
                throw JSONFault(.invalidValue, "A request may ask about \(SignatureCall.maximumOffers) products.")
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
