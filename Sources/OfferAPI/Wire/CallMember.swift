import StrictJSON

/// The members of the bodies of `POST /v1/signatures`, `/v1/eligibility` and `/v1/introductory-eligibility-signatures`.
enum CallMember: String, CaseIterable {
    // Of all of them.
    case bundleId
    case appAccountToken
    case applicationUsername
    case evidence
    case explain
    // Of some.
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

        /// The members of its body.
        var members: [CallMember] {
            let ofAll: [CallMember] = [.bundleId, .appAccountToken, .applicationUsername, .evidence, .explain]
            return switch self {
            case .signatures: ofAll + [.offers, .formats]
            case .eligibility: ofAll + [.offers, .products]
            case .introductorySignatures: ofAll + [.products, .transactionId, .allowIntroductoryOffer]
            }
        }
    }
}
