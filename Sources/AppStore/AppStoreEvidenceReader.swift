import EvidenceRecognition
public import Offers

/// Reads the evidence from the App Store that is at hand, without asking anybody.
public struct AppStoreEvidenceReader: EvidenceReader {
    private let verifier: SignedDataVerifier

    /// Creates a reader.
    ///
    /// - Parameter verifier: Checks the App Store's signatures.
    public init(verifier: SignedDataVerifier = SignedDataVerifier()) {
        self.verifier = verifier
    }

    /// Reads evidence.
    ///
    /// - Parameter evidence: The evidence as it came.
    /// - Returns: What it says of the customer.
    /// - Throws: `EvidenceFault` when it cannot be taken, and for a question.
    public func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory {
        switch evidence {
        case .receiptResponse(let json):
            do throws(EvidenceFault) {
                return try VerifyReceiptResponse(json: json).history()
            } catch {
                // The members that another kind of thing lacks or has say less than its name.
                guard let found = RecognisedContent(json: json)?.detail(in: .receiptResponse) else { throw error }
                throw EvidenceFault(error.kind, code: error.code, detail: found)
            }
        case .signedTransactions(let transactions, let renewalInfos):
            var history = SignedHistory()
            for (index, text) in transactions.enumerated() {
                do throws(SignedDataFault) {
                    try history.add(SignedTransaction(verifier.payload(of: text)))
                } catch {
                    throw EvidenceFault(error, of: text, in: .signedTransactions, index: index)
                }
            }
            for (index, text) in renewalInfos.enumerated() {
                do throws(SignedDataFault) {
                    history.add(try SignedRenewalInfo(verifier.payload(of: text)))
                } catch {
                    throw EvidenceFault(error, of: text, in: .signedRenewalInfos, index: index)
                }
            }
            return history.history(coverage: .partial)
        case .question:
            throw EvidenceFault(
                .unavailable(retryAfterSeconds: 60),
                code: "app_store_not_asked",
                detail: "This service does not ask the App Store; send receiptResponse or signedTransactions."
            )
        }
    }
}
