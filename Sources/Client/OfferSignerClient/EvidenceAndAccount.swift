public import FoundationEssentials

/// What shows what the customer has; one kind a request.
public enum Evidence: Equatable, Sendable {
    /// The body of a verifyReceipt answer that this backend fetched, byte for byte.
    ///
    /// Never one that came from a phone: anyone can write one.
    case receiptResponse([UInt8])
    /// An app receipt in Base64, for the service to ask Apple about.
    case receipt(base64: String)
    /// StoreKit 2's signed transactions, and signed renewal infos, as the app has them: compact JWS, at most 50 of each.
    case signedTransactions([String], renewalInfos: [String] = [])
    /// Any transaction of the customer, or the `appTransactionID` of StoreKit 2's `AppTransaction`, which even one without
    /// transactions has, for the service to ask the App Store Server API about.
    ///
    /// With `isNew`, the transaction was bought just now: while the App Store does not know it yet, the answer is
    /// `app_store_unavailable`, with the time after which to ask again.
    case transactionId(String, isNew: Bool = false)
}

extension Evidence {
    private struct Members: Encodable {
        var receipt: String?
        var signedTransactions: [String]?
        var signedRenewalInfos: [String]?
        var transactionId: String?
        var isNew: Bool?
    }

    /// Anything that is one JSON object from its first byte to its last.
    private struct Object: Decodable {
        private enum Key: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
    }

    /// The evidence as the value of a request's `evidence`.
    func json() throws(OfferSignerError) -> [UInt8] {
        switch self {
        case .receiptResponse(let answer):
            // It is passed on as it is, so it has to end where it seems to.
            guard (try? JSON.value(Object.self, from: answer)) != nil else {
                throw .invalidArgument("The verifyReceipt answer is no JSON object.")
            }
            return Array(#"{"receiptResponse":"#.utf8) + answer + Array("}".utf8)
        case .receipt(let base64): return try JSON.bytes(of: Members(receipt: base64))
        case .signedTransactions(let transactions, let infos):
            let infos = infos.isEmpty ? nil : infos
            return try JSON.bytes(of: Members(signedTransactions: transactions, signedRenewalInfos: infos))
        case .transactionId(let id, let isNew):
            return try JSON.bytes(of: Members(transactionId: id, isNew: isNew ? true : nil))
        }
    }

    /// A request's body: its other members, and the evidence where there is some.
    static func body(_ members: some Encodable, with evidence: Evidence?) throws(OfferSignerError) -> [UInt8] {
        let object = try JSON.bytes(of: members)
        guard let evidence else { return object }
        let rest = object.dropFirst()
        let comma = rest.first == UInt8(ascii: "}") ? "" : ","
        return Array(#"{"evidence":"#.utf8) + (try evidence.json()) + Array(comma.utf8) + rest
    }
}

/// The account that the app sets on the payment, and that is signed.
public enum Account: Equatable, Hashable, Sendable {
    /// StoreKit's `appAccountToken`; signed, and written, in lowercase.
    case appAccountToken(UUID)
    /// StoreKit 1's `applicationUsername`, signed verbatim: at most 512 bytes.
    case applicationUsername(String)
    /// No account: the payment must have none either.
    case none
}

extension Account: Codable {
    private enum Key: String, CodingKey {
        case appAccountToken, applicationUsername
    }

    /// Reads an account from the object that names it.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        if let token = try members.decodeIfPresent(UUID.self, forKey: .appAccountToken) {
            self = .appAccountToken(token)
        } else if let name = try members.decodeIfPresent(String.self, forKey: .applicationUsername) {
            self = .applicationUsername(name)
        } else {
            self = .none
        }
    }

    /// Writes the one member that names the account, or none.
    ///
    /// Foundation writes a UUID in uppercase, and an app that set that as its `applicationUsername` would be refused.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .appAccountToken(let token): try members.encode(token.uuidString.lowercased(), forKey: .appAccountToken)
        case .applicationUsername(let name): try members.encode(name, forKey: .applicationUsername)
        case .none: break
        }
    }
}
