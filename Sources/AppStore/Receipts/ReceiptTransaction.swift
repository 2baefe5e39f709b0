import Offers

/// Finds a transaction in a receipt, to ask the App Store Server API about it.
///
/// Nothing else of the receipt is believed, and its signature is not checked: what counts is what Apple answers.
enum ReceiptTransaction {
    /// How many bytes a receipt may have to be taken apart.
    static let maximumBytes = 512 * 1024

    /// The identifier of a transaction in a receipt.
    ///
    /// - Parameter receipt: An app receipt, or an iOS 6 style transaction receipt, in Base64.
    /// - Returns: The identifier, digits.
    /// - Throws: `EvidenceFault` when it is no receipt, or has no transaction.
    static func identifier(in receipt: String) throws(EvidenceFault) -> String {
        guard let bytes = Base64.decode(receipt), bytes.count <= maximumBytes else {
            throw malformed("The receipt is no Base64 of at most \(maximumBytes) bytes.")
        }
        let found: String?
        if bytes.first == 0x30 {
            guard let appReceipt = try? AppReceipt(ber: bytes) else {
                throw malformed("The receipt is no app receipt (PKCS #7).")
            }
            found = appReceipt.transactionId
        } else {
            guard let old = OldReceipt(bytes) else {
                throw malformed("The receipt is neither an app receipt nor an iOS 6 style transaction receipt.")
            }
            found = old.transactionId
        }
        guard let found, (1...20).contains(found.utf8.count),
            found.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw EvidenceFault(
                .rejected,
                code: "receipt_without_transaction",
                detail: "The receipt has no transaction by which the App Store could be asked about the customer."
            )
        }
        return found
    }

    private static func malformed(_ detail: String) -> EvidenceFault {
        EvidenceFault(.rejected, code: "receipt_malformed", detail: detail)
    }
}
