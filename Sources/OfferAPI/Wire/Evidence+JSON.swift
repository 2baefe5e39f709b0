import Offers
import StrictJSON

extension Evidence {
    /// Reads the `evidence` of a call: an object with exactly one kind of evidence.
    ///
    /// The evidence itself is only checked to be JSON, and kept as it came: reading it is Apple's side's affair.
    ///
    /// - Parameter reader: The reader, at the object.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var evidence: Evidence?
        var kinds: [EvidenceKind] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            if name == "signedRenewalInfos" { throw Self.notSupported(.signedTransactions) }
            guard let kind = EvidenceKind(rawValue: name) else {
                throw JSONFault(.unknownMember, "There is no such kind of evidence.")
            }
            kinds.append(kind)
            guard kind == .receiptResponse else { throw Self.notSupported(kind) }
            guard try reader.nextType() == .object else {
                throw JSONFault(.wrongType, "A verifyReceipt answer is expected: an object.")
            }
            evidence = .receiptResponse(json: Array(try reader.skipValue()))
        }
        guard let evidence else {
            throw JSONFault(.missingMember, "The evidence is empty: send receiptResponse.")
        }
        guard kinds.count == 1 else { throw JSONFault(.invalidValue, "Send one kind of evidence.") }
        self = evidence
    }

    private static func notSupported(_ kind: EvidenceKind) -> JSONFault {
        JSONFault(.notSupported, "Evidence of the kind \(kind.rawValue) is not supported yet; receiptResponse is.")
    }
}
