/// The payload that was signed for a discount, as reported or found, beside the one that is due.
struct PayloadComparison {
    let report: SignatureReport
    let payload: [UInt8]
    /// `nil` where none of the caller's keys signed it.
    var signer: Signer?
    private let read: SignedPayload?

    /// The characters of both texts that a sentence shows from the first difference on.
    private static let shownCharacters = 40
    /// The characters of a field that a list of all shows.
    private static let shownOfField = 64

    init(of report: SignatureReport, with payload: [UInt8], signedBy signer: Signer?) {
        self.report = report
        self.payload = payload
        self.signer = signer
        read = SignedPayload(payload, due: report.fields)
    }

    /// Of the payload; the report's where it cannot be read.
    var bundleId: String { read == nil ? report.bundleId : text(of: .bundleId) ?? "" }

    /// Of the payload; the report's where it cannot be read.
    var offer: OfferRequest {
        read == nil
            ? report.offer : OfferRequest(productId: text(of: .productId) ?? "", offerId: text(of: .offerId) ?? "")
    }

    private func text(of field: PayloadField) -> String? {
        read?.fields[field].map { String(decoding: $0, as: UTF8.self) }
    }

    /// Empty where payload, key and hash are right.
    var causes: [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        causes.add(.wrongHash, signer?.wrongHash(of: "payload"))
        causes.add(.wrongKey, wrongKey, fix: keyFix)
        guard !payload.elementsEqual(report.composedPayload) else { return causes }
        let found = read.map { read in
            frame(of: read) + PayloadField.allCases.compactMap { difference(in: $0, of: read) }
        }
        if let found, !found.isEmpty { return causes + found }
        let same = zip(payload, report.composedPayload).prefix { $0 == $1 }.count
        return causes + [differs(in: self.field(at: same), from: same, dueFrom: same)]
    }

    private func frame(of read: SignedPayload) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        if read.separator != InvisibleSeparator.utf8 {
            let separator = read.separator.isEmpty ? "nothing" : String(decoding: read.separator, as: UTF8.self).visible
            causes.add(.wrongSeparator, "The payload's fields are joined by \(separator), not by U+2063.")
        }
        causes.add(
            .wrongSeparator,
            read.hasEnding ? "The payload has a separator after its last field." : nil,
            fix: "Put U+2063 between the seven fields, six times, and nothing after the timestamp."
        )
        let order = "The payload's fields are in another order, or one is left out."
        causes.add(.wrongFieldOrder, read.isInOrder ? nil : order)
        return causes
    }

    /// The fault of one field by the table, else by its bytes; none where it is right, or left out.
    private func difference(in field: PayloadField, of read: SignedPayload) -> DiagnosisCause? {
        let due = report.fields[field.rawValue]
        guard let part = read.fields[field], !part.elementsEqual(due.utf8) else { return nil }
        // A payload for another app that its key signed has that app's key id.
        if field == .keyIdentifier, signer?.bundleId != nil { return nil }
        let found = PayloadMistake.Difference(
            field: field,
            signed: String(decoding: part, as: UTF8.self),
            due: due,
            report: report
        )
        for mistake in PayloadMistake.table where mistake.fields.contains(field) {
            guard let detail = mistake.detail(found) else { continue }
            return DiagnosisCause(mistake.code, detail, fix: mistake.code == .keyIdMismatch ? keyFix : nil)
        }
        let same = zip(part, due.utf8).prefix { $0 == $1 }.count
        return differs(in: field, from: part.startIndex + same, dueFrom: start(of: field) + same)
    }

    private func differs(in field: PayloadField, from offset: Int, dueFrom dueOffset: Int) -> DiagnosisCause {
        func shown(_ bytes: [UInt8], from offset: Int) -> String {
            // The text begins with a whole character.
            let start = bytes.prefix(offset + 1).lastIndex { $0 & 0xC0 != 0x80 } ?? 0
            let text = String(decoding: bytes.dropFirst(offset < bytes.count ? start : offset), as: UTF8.self)
            let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.shownCharacters)))
            return shown.isEmpty ? "nothing" : "\"\(shown.visible)\""
        }
        let signed = shown(payload, from: offset)
        let due = shown(report.composedPayload, from: dueOffset)
        return DiagnosisCause(
            .payloadDiffers,
            "The payload differs from its byte \(offset) on (the first is 0), in \(field): \(signed) was signed, "
                + "\(due) is due.",
            fix: "\(DiagnosisCode.payloadDiffers.fix): \(dueFields), in this order, with U+2063 between them."
        )
    }

    /// The seven fields that are due, in their order, each with its text.
    private var dueFields: String {
        zip(PayloadField.allCases, report.fields).map { field, text in
            guard !text.isEmpty else { return "\(field), which is empty" }
            let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.shownOfField)))
            return "\(field) \(shown.visible)\(shown.unicodeScalars.count < text.unicodeScalars.count ? "…" : "")"
        }.joined(separator: ", ")
    }

    /// In the payload that is due.
    private func start(of field: PayloadField) -> Int {
        report.fields.prefix(field.rawValue).reduce(0) { $0 + $1.utf8.count + InvisibleSeparator.utf8.count }
    }

    /// The field that is due there, or whose separator is.
    private func field(at offset: Int) -> PayloadField {
        PayloadField.allCases.last { start(of: $0) <= offset } ?? .bundleId
    }
}

extension PayloadComparison {
    private var wrongKey: String? {
        guard let signer, signer.bundleId == nil, signer.keyIdentifier != report.keyIdentifier else { return nil }
        return "The signature is by the key \(signer.keyIdentifier), not by \(report.keyIdentifier)."
    }

    /// One fix where both the key and its identifier are wrong.
    private var keyFix: String {
        guard let id = signer?.keyIdentifier, id != report.keyIdentifier else {
            return "Put the key id that StoreKit is given, \(report.keyIdentifier), into the payload."
        }
        if text(of: .keyIdentifier) == id {
            return "Give StoreKit \(id), the key that signed and whose identifier is in the payload."
        }
        return "Put the identifier of the key that signs, \(id), into the payload and give it to StoreKit, or sign "
            + "with the key that StoreKit is given."
    }
}

/// The key that made a signature, and how.
struct Signer: Sendable {
    let keyIdentifier: String
    let hash: SignedHash
    /// The app whose key it is; `nil` for the report's own.
    var bundleId: String?

    /// Said of the payload or the JWS; `nil` where the hash is right.
    func wrongHash(of signed: String) -> String? {
        hash == .sha256 ? nil : "The \(signed) was hashed with \(hash.rawValue), not with SHA-256 once."
    }
}
