import StrictJSON

/// The members of the bodies of `POST /v1/signatures`, `/v1/eligibility` and `/v1/introductory-eligibility-signatures`.
enum CallMember: String, CaseIterable {
    // Members of all calls.
    case bundleId
    case appAccountToken
    case applicationUsername
    case evidence
    case explain
    // Members of some calls.
    case offers
    case formats
    case products
    case transactionId
    case allowIntroductoryOffer

    /// All of them, for a reader.
    static let table = JSONMembers(CallMember.self)

    /// A call that has some of them.
    enum Call {
        case signatures
        case eligibility
        case introductorySignatures

        /// Whether its body may have a member.
        func has(_ member: CallMember) -> Bool {
            switch member {
            case .bundleId, .appAccountToken, .applicationUsername, .evidence, .explain: true
            case .offers: self != .introductorySignatures
            case .formats: self == .signatures
            case .products: self != .signatures
            case .transactionId, .allowIntroductoryOffer: self == .introductorySignatures
            }
        }

        /// The fault of a member that it does not have.
        func unknown(_ member: CallMember?) -> JSONFault {
            switch (self, member) {
            case (.eligibility, .formats): JSONFault(.unknownMember, "There is no such member: nothing is signed here.")
            case (.introductorySignatures, .offers), (.introductorySignatures, .formats):
                JSONFault(.unknownMember, "There is no such member: only introductory offers are signed here.")
            default: JSONFault(unknownAmong: CallMember.allCases.filter(has).map(\.rawValue))
            }
        }
    }
}

extension JSONFault {
    /// An object has a member that does not belong there, with those that do for who misspelt one.
    init(unknownAmong names: [String]) {
        self.init(.unknownMember, "There is no such member; known here: \(names.joined(separator: ", ")).")
    }
}
