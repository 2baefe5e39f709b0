import FoundationEssentials
package import OfferService
package import Offers
package import StrictJSON

/// The body of `POST /v1/diagnoses`, and the file of `offer-signer diagnose`: the report of a discount or of a JWS.
package enum DiagnosisCall: Equatable, Sendable {
    /// The four values of a discount, and the payload where it is known.
    case discount(SignatureReport)
    /// A JWS, and what came of it.
    case jws(JWSReport)

    /// The app that it is about.
    package var bundleId: String {
        switch self {
        case .discount(let report): report.bundleId
        case .jws(let report): report.bundleId
        }
    }

    /// Reads the body of `POST /v1/diagnoses`; `onlyApp` is meant where it names no app.
    package init(json: [UInt8], onlyApp: String? = nil) throws(JSONFault) {
        let members = try Members(json: json)
        let bundleId = members.texts[.bundleId] ?? onlyApp
        self =
            members.texts[.jws] == nil
            ? .discount(try members.discount(of: bundleId)) : .jws(try members.jws(of: bundleId))
    }

    /// Asks for the diagnosis; `nil` when the app is none of `callersApps`.
    ///
    /// It fails when the resulting transaction is not genuine, or of another app.
    package func diagnosis(
        by diagnoseReports: DiagnoseReports,
        callersApps: Set<String>
    ) async throws(EvidenceFault) -> Diagnosis? {
        switch self {
        case .discount(let report): await diagnoseReports.diagnose(report, callersApps: callersApps)
        case .jws(let report): try await diagnoseReports.diagnose(report, callersApps: callersApps)
        }
    }
}

/// The members of both reports.
private enum Member: String, CaseIterable {
    case bundleId, keyIdentifier, productId, offerId, appAccountToken, applicationUsername, nonce, timestamp
    case signature, payload, jws, allowIntroductoryOffer, transactionId, resultingTransaction, storeKitError

    var maximumBytes: Int {
        switch self {
        case .resultingTransaction: 10_240
        case .payload: 5464  // 4 KiB in Base64
        default: 4096
        }
    }
}

/// The members of a body as they come.
private struct Members {
    private(set) var texts: [Member: String] = [:]
    private var present: Set<Member> = []
    private var timestamp: Int64?
    private var allowIntroductoryOffer: Bool?
    private var storeKitError: ReportedError?

    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            guard let member = Member(rawValue: name) else {
                throw JSONFault(unknownAmong: Member.allCases.map(\.rawValue))
            }
            present.insert(member)
            switch member {
            case .timestamp: timestamp = try reader.readInt64()
            case .allowIntroductoryOffer: allowIntroductoryOffer = try reader.readBool()
            case .storeKitError:
                switch try reader.nextType() {
                case .string: storeKitError = .text(try Self.text(of: member, from: &reader))
                case .number: storeKitError = .number(try reader.readInt64())
                default: throw JSONFault(.wrongType, "StoreKit's error is a number or a text.")
                }
            default: texts[member] = try Self.text(of: member, from: &reader)
            }
        }
        try reader.readEnd()
    }

    private static func text(of member: Member, from reader: inout JSONReader) throws(JSONFault) -> String {
        let text = try reader.readString()
        guard text.utf8.count <= member.maximumBytes else {
            throw JSONFault(.invalidValue, "The string has more than \(member.maximumBytes) bytes.")
        }
        return text
    }

    /// The report of a discount.
    func discount(of bundleId: String?) throws(JSONFault) -> SignatureReport {
        let detail = "The member goes with jws, which the report lacks."
        try refuse([.allowIntroductoryOffer, .transactionId, .resultingTransaction], detail)
        return SignatureReport(
            bundleId: try required(.bundleId, bundleId),
            keyIdentifier: try required(.keyIdentifier),
            productId: try required(.productId),
            offerId: try required(.offerId),
            account: try account(),
            nonce: try required(.nonce),
            timestamp: try required(.timestamp, timestamp),
            signature: try required(.signature),
            payload: try payload(),
            storeKitError: storeKitError
        )
    }

    /// The report of a JWS.
    func jws(of bundleId: String?) throws(JSONFault) -> JWSReport {
        let ofDiscount = "The member is a discount's: a report is of a discount or of a jws."
        try refuse([.keyIdentifier, .nonce, .timestamp, .signature, .payload], ofDiscount)
        if texts[.offerId] != nil {
            let detail = "Send offerId for a promotional offer, or allowIntroductoryOffer, not both."
            try refuse([.allowIntroductoryOffer], detail)
        }
        return JWSReport(
            bundleId: try required(.bundleId, bundleId),
            productId: try required(.productId),
            offerId: texts[.offerId],
            allowIntroductoryOffer: allowIntroductoryOffer,
            account: try account(),
            jws: try required(.jws),
            transactionId: texts[.transactionId],
            storeKitError: storeKitError,
            resultingTransaction: texts[.resultingTransaction]
        )
    }

    private func required(_ member: Member) throws(JSONFault) -> String { try required(member, texts[member]) }

    private func required<Value>(_ member: Member, _ value: Value?) throws(JSONFault) -> Value {
        guard let value else {
            throw JSONFault(.missingMember, "The member is missing: report all that the app gave StoreKit.")
                .inside(member: member.rawValue)
        }
        return value
    }

    private func refuse(_ members: [Member], _ detail: String) throws(JSONFault) {
        if let member = members.first(where: present.contains) { throw invalid(member, detail) }
    }

    private func invalid(_ member: Member, _ detail: String) -> JSONFault {
        JSONFault(.invalidValue, detail).inside(member: member.rawValue)
    }

    private func payload() throws(JSONFault) -> [UInt8]? {
        guard let text = texts[.payload] else { return nil }
        guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
            throw invalid(.payload, "Send the bytes that were signed, one or more, in standard Base64.")
        }
        return Array(bytes)
    }

    /// The account that was set on the payment.
    private func account() throws(JSONFault) -> Account {
        switch (texts[.appAccountToken], texts[.applicationUsername]) {
        case (let token?, nil):
            guard let token = AppAccountToken(token) else {
                throw invalid(.appAccountToken, "An appAccountToken is a UUID: 8-4-4-4-12 hexadecimal digits.")
            }
            return .appAccountToken(token)
        case (nil, let name?): return name.isEmpty ? .none : .applicationUsername(name)
        case (nil, nil): return .none
        case (_?, _?):
            throw invalid(.applicationUsername, "Send appAccountToken or applicationUsername, not both.")
        }
    }
}
