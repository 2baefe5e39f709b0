import Crypto
import Offers

/// What was asked, in little room: receipts are long, so their digest stands for them.
struct QuestionKey: Hashable, Sendable {
    private let bundleId: String
    private let isReceipt: Bool
    private let needsWholeHistory: Bool
    private let content: SHA256Digest

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - bundleId: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts.
    init(_ question: AppStoreQuestion, of bundleId: String, needsWholeHistory: Bool = false) {
        self.bundleId = bundleId
        self.needsWholeHistory = needsWholeHistory
        switch question {
        case .receipt(let base64):
            isReceipt = true
            content = SHA256.hash(data: Array(base64.utf8))
        case .transactionId(let id):
            isReceipt = false
            content = SHA256.hash(data: Array(id.utf8))
        }
    }
}
