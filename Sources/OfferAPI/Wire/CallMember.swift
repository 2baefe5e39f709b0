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
}
