import EvidenceRecognition
import Offers
import StrictJSON

extension Evidence {
    /// How many signed transactions, and how many renewal infos, one request may carry.
    static let maximumSignedData = 50
    /// How many bytes of Base64 a receipt may have: as much as a body, nearly.
    static let maximumReceiptBytes = 1_000_000
    /// How many digits a transaction identifier may have: Apple's are 64-bit numbers.
    static let maximumTransactionIdDigits = 20

    /// Reads the `evidence` of a call: an object with exactly one kind of evidence.
    ///
    /// Only the form is checked, and the evidence kept where it lies: reading it is Apple's side's affair.
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var evidence: Evidence?
        var emptyList: Evidence?
        var isOneKind = true
        var renewalInfos: [String]?
        var isNew: Bool?
        try reader.readObject(EvidenceMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .kind(let kind):
                let found = try Evidence(kind, reading: &reader)
                if case .signedTransactions(let transactions, _) = found, transactions.isEmpty {
                    emptyList = found
                } else {
                    isOneKind = isOneKind && evidence == nil
                    evidence = found
                }
            case .signedRenewalInfos: renewalInfos = try reader.readSignedData()
            case .isNew: isNew = try reader.readBool()
            case .originalTransactionId:
                throw JSONFault(
                    .unknownMember,
                    "There is no such member: the original transaction id is one of the customer's transaction ids, and goes "
                        + "into transactionId. Of a decoded transaction, send what Apple signed, in signedTransactions."
                )
            case nil: throw JSONFault(unknownAmong: EvidenceMember.known.map(\.rawValue))
            }
        }
        // Generated clients send the lists empty beside any kind.
        evidence = evidence ?? emptyList
        guard isNew == nil || evidence?.kind == .transactionId else {
            throw JSONFault(.invalidValue, "isNew counts beside transactionId only.").inside(member: "isNew")
        }
        guard let evidence else {
            let kinds = EvidenceKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw JSONFault(.missingMember, "No kind of evidence is there: send one of \(kinds).")
        }
        guard isOneKind else { throw JSONFault(.invalidValue, "Send one kind of evidence.") }
        guard renewalInfos?.isEmpty ?? true || evidence.kind == .signedTransactions else {
            throw JSONFault(.invalidValue, "Renewal infos count beside signedTransactions only.")
                .inside(member: "signedRenewalInfos")
        }
        switch evidence {
        case .signedTransactions(let transactions, _):
            self = .signedTransactions(transactions, renewalInfos: renewalInfos ?? [])
        case .question(.transactionId(let id, _)): self = .question(.transactionId(id, isNew: isNew ?? false))
        default: self = evidence
        }
    }

    private static let xcodesTransaction =
        "0 is the first transaction of StoreKit Testing in Xcode, which the App Store does not know: buy in the Sandbox, or "
        + "send Xcode's signed transaction, for a service that has Xcode among the app's environments."

    /// Reads the value of a kind's member: the form of each kind.
    private init(_ kind: EvidenceKind, reading reader: inout JSONReader) throws(JSONFault) {
        switch kind {
        case .receiptResponse: self = .receiptResponse(try reader.readReceiptResponse())
        case .receipt: self = .question(.receipt(base64: try reader.readReceipt()))
        case .signedTransactions: self = .signedTransactions(try reader.readSignedData(), renewalInfos: [])
        case .transactionId:
            let id = try reader.readTransactionId()
            guard id != "0" else { throw JSONFault(.invalidValue, Self.xcodesTransaction) }
            self = .question(.transactionId(id))
        }
    }
}

/// The members of `evidence`: the kinds, and what may be beside one of them.
private enum EvidenceMember: RawRepresentable, CaseIterable {
    case kind(EvidenceKind)
    case signedRenewalInfos
    case isNew
    /// None: it is only recognised.
    case originalTransactionId

    static let known = EvidenceKind.allCases.map(EvidenceMember.kind) + [.signedRenewalInfos, .isNew]
    static let allCases = known + [.originalTransactionId]
    static let table = JSONMembers(EvidenceMember.self)

    init?(rawValue: String) {
        guard let member = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = member
    }

    var rawValue: String {
        switch self {
        case .kind(let kind): kind.rawValue
        case .signedRenewalInfos: "signedRenewalInfos"
        case .isNew: "isNew"
        case .originalTransactionId: "originalTransactionId"
        }
    }
}

extension JSONReader {
    /// Reads an array of compact JWS.
    fileprivate mutating func readSignedData() throws(JSONFault) -> [String] {
        var texts: [String] = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < Evidence.maximumSignedData else {
                throw JSONFault(.invalidValue, "A request may carry \(Evidence.maximumSignedData) of them at most.")
            }
            guard try reader.nextType() != .object else {
                let found = RecognisedContent(json: try reader.readText())?.detail(in: .signedTransactions)
                throw JSONFault(.wrongType, found ?? "A compact JWS is expected: a string.")
            }
            texts.append(try reader.readString())
        }
        return texts
    }

    /// Takes a verifyReceipt answer: an object, whatever is in it.
    fileprivate mutating func readReceiptResponse() throws(JSONFault) -> EvidenceText {
        let type = try nextType()
        guard type != .object else { return EvidenceText(source, in: try passValue()) }
        let found = type == .string ? RecognisedContent(try readString())?.detail(in: .receiptResponse) : nil
        throw JSONFault(.wrongType, found ?? "A verifyReceipt answer is expected: an object.")
    }

    /// Reads a receipt's Base64: nothing else may be in it, so that what is sent on to Apple is only ever that.
    fileprivate mutating func readReceipt() throws(JSONFault) -> String {
        let text = try readString()
        guard !text.isEmpty, text.utf8.count <= Evidence.maximumReceiptBytes else {
            throw JSONFault(.invalidValue, "A receipt has 1 to \(Evidence.maximumReceiptBytes) bytes of Base64.")
        }
        let isBase64 = Self.isBase64(text.utf8.span)
        // A short text may be anything.
        let isShort = text.utf8.count < Self.shortestRecognised
        if isBase64, isShort || RecognisedContent.beginsAsReceipt(text) { return text }
        if let found = RecognisedContent(text)?.detail(in: .receipt) { throw JSONFault(.invalidValue, found) }
        guard isBase64 else {
            throw JSONFault(.invalidValue, "A receipt is sent in Base64 (RFC 4648 §4), without line breaks.")
        }
        return text
    }

    private static let shortestRecognised = 12

    /// Whether a text is Base64 with its padding, and nothing else.
    ///
    /// Without a branch for each byte: a receipt has tens of thousands, of which nobody can foresee the next.
    private static func isBase64(_ text: Span<UInt8>) -> Bool {
        guard text.count.isMultiple(of: 4) else { return false }
        var end = text.count
        while end > max(0, text.count - 2), text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        var others: UInt8 = 0
        for index in 0..<end {
            let byte = text[index]
            let isLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 26 ? 1 : 0
            // The slash comes before the digits.
            let isDigitOrSlash: UInt8 = byte &- UInt8(ascii: "/") < 11 ? 1 : 0
            let isPlus: UInt8 = byte == UInt8(ascii: "+") ? 1 : 0
            others |= (isLetter | isDigitOrSlash | isPlus) ^ 1
        }
        return others == 0
    }

    /// Reads a transaction's identifier, which becomes a part of a path.
    mutating func readTransactionId() throws(JSONFault) -> String {
        let text = try readString()
        guard (1...Evidence.maximumTransactionIdDigits).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw JSONFault(
                .invalidValue,
                RecognisedContent(text)?.detail(in: .transactionId)
                    ?? "A transaction identifier is a string of 1 to \(Evidence.maximumTransactionIdDigits) digits."
            )
        }
        return text
    }
}
