import EvidenceRecognition
package import Offers

package struct AppStoreEvidenceReader: EvidenceReader {
    private let verifier: SignedDataVerifier

    package init(verifier: SignedDataVerifier = SignedDataVerifier()) {
        self.verifier = verifier
    }

    package func book(from evidence: Evidence) throws(EvidenceFault) -> Book {
        switch evidence {
        case .receiptResponse(let text):
            do throws(EvidenceFault) {
                return try VerifyReceiptResponse(json: text.bytes, in: text.range).book(by: .client)
            } catch {
                // The members that another kind of thing lacks or has say less than its name.
                guard let found = RecognisedContent(json: Array(text.bytes[text.range]))?.detail(in: .receiptResponse)
                else { throw error }
                throw EvidenceFault(error.kind, code: error.code, detail: found)
            }
        case .signedTransactions(let transactions, let renewalInfos):
            var signed = SignedBook()
            for (index, text) in transactions.enumerated() {
                do throws(SignedDataFault) {
                    try signed.add(SignedTransaction(verifier.payload(of: text)))
                } catch {
                    throw EvidenceFault(error, of: text, in: .signedTransactions, index: index)
                }
            }
            for (index, text) in renewalInfos.enumerated() {
                do throws(SignedDataFault) {
                    signed.add(try SignedRenewalInfo(verifier.payload(of: text)))
                } catch {
                    throw EvidenceFault(error, of: text, in: .signedRenewalInfos, index: index)
                }
            }
            return signed.book(coverage: .partial)
        case .question:
            throw EvidenceFault(
                .unavailable(retryAfterSeconds: 60),
                code: "app_store_not_asked",
                detail: "This service does not ask the App Store; send receiptResponse or signedTransactions."
            )
        }
    }
}

extension AppStoreEvidenceReader: PurchaseReader {
    /// Reads the transaction that a purchase came to, which has to be of the app.
    package func purchase(
        in signedTransaction: String,
        of bundleId: String
    ) throws(EvidenceFault) -> ReportedPurchase {
        let signed: SignedTransaction
        do throws(SignedDataFault) {
            signed = try SignedTransaction(verifier.payload(of: signedTransaction))
        } catch {
            throw EvidenceFault(error, of: signedTransaction, in: .signedTransactions, index: 0)
        }
        guard signed.bundleId.hasSameBytes(as: bundleId) else {
            throw EvidenceFault(
                .rejected,
                code: SignedDataFault.Code.otherApp.rawValue,
                detail: "The transaction is of the app \(signed.bundleId): report the purchase that the JWS was for."
            )
        }
        let ids = [
            signed.transactionId, signed.transaction.originalTransactionId, signed.appTransactionId,
            signed.transaction.previousOriginalTransactionId,
        ]
        return ReportedPurchase(
            productId: signed.transaction.productId,
            offer: signed.transaction.offer,
            customerIds: Set(ids.compactMap(\.self))
        )
    }
}
