import EvidenceRecognition
public import Offers

extension AppStoreEvidenceReader: PurchaseReader {
    /// Reads the transaction that a purchase came to.
    ///
    /// - Parameters:
    ///   - signedTransaction: The signed transaction.
    ///   - bundleId: The app that it has to be of.
    /// - Returns: What it says.
    /// - Throws: `EvidenceFault` when the App Store has not signed it, or it is of another app.
    public func purchase(
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
        let ids = [signed.transactionId, signed.transaction.originalTransactionId, signed.appTransactionId]
        return ReportedPurchase(
            productId: signed.transaction.productId,
            offer: signed.transaction.offer,
            customerIds: Set(ids.compactMap(\.self))
        )
    }
}
