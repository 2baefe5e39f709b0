// What docs/diagnosis.md uses of Apple's StoreKit, declared as there: only to see whether the page compiles.

@_exported import Foundation

package struct Product: Sendable {
    package let id: String

    package struct PurchaseOption: Hashable, Sendable {
        package static func promotionalOffer(_ offerID: String, compactJWS: String) -> [Product.PurchaseOption] { [] }
    }

    package enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }

    @MainActor package func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { .pending }
}

package struct Transaction: Sendable {
    package struct Offer: Sendable {}
    package let offer: Offer?
}

package enum VerificationResult<SignedType> {
    case unverified(SignedType)
    case verified(SignedType)

    package var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value), .verified(let value): value
        }
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult where SignedType == Transaction {
    package var jwsRepresentation: String { "" }
}
