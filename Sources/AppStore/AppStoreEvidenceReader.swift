import EvidenceRecognition
public import Offers

/// Reads the evidence from the App Store that is at hand, without asking anybody.
public struct AppStoreEvidenceReader: EvidenceReader {
    let verifier: SignedDataVerifier

    /// Creates a reader.
    ///
    /// - Parameter verifier: Tells the App Store's signed data from forgeries.
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
        case .receiptResponse(let text):
            do throws(EvidenceFault) {
                return try VerifyReceiptResponse(json: text.bytes, in: text.range).history()
            } catch {
                // Where it is another thing, the members that it lacks or has say less.
                guard let found = RecognisedContent(json: Array(text.bytes[text.range]))?.detail(in: .receiptResponse)
                else { throw error }
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
