import Crypto
import Foundation
import Offers

/// An iOS 6 style transaction receipt: Base64 of an old property list with a signature and, in Base64 again, the facts.
enum TransactionReceipt {
    /// The receipt of one transaction, in Base64.
    static func text(of transaction: StoreTransaction, customer: StoreCustomer, signer: AppStoreSigner) -> String {
        let facts = propertyList([
            ("bid", customer.bundleId), ("unique-identifier", customer.name), ("bvrs", "1"),
            ("quantity", String(transaction.quantity)),
            ("product-id", transaction.productId), ("transaction-id", transaction.transactionId),
            ("original-transaction-id", transaction.originalTransactionId),
            ("purchase-date-ms", String(transaction.purchaseDate.millisecondsSince1970)),
            ("expires-date", String(transaction.expiresDate.millisecondsSince1970)),
        ])
        let signature = signer.derSignature(over: Array(facts.utf8))
        var members = [
            ("signature", signature.base64EncodedString()), ("purchase-info", Data(facts.utf8).base64EncodedString()),
        ]
        if customer.environment == .sandbox { members.append(("environment", "Sandbox")) }
        members += [("pod", "100"), ("signing-status", "0")]
        return Data(propertyList(members).utf8).base64EncodedString()
    }

    /// The owner of a receipt that this simulator has signed; `nil` when it has another form than an iOS 6 style
    /// receipt.
    static func identity(_ text: String, signer: AppStoreSigner) throws(ReceiptFault) -> ReceiptIdentity? {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), data.first == UInt8(ascii: "{")
        else { return nil }
        let members = values(in: String(decoding: data, as: UTF8.self))
        guard let facts = members["purchase-info"].flatMap({ Data(base64Encoded: $0) }),
            let signed = members["signature"].flatMap({ Data(base64Encoded: $0) })
        else { throw .malformed }
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signed),
            signer.publicKey.isValidSignature(signature, for: facts)
        else { throw .notAuthentic }
        let known = values(in: String(decoding: facts, as: UTF8.self))
        guard let bundleId = known["bid"], let name = known["unique-identifier"], let id = known["transaction-id"]
        else { throw .malformed }
        return ReceiptIdentity(
            environment: members["environment"] == "Sandbox" ? .sandbox : .production,
            bundleId: bundleId,
            customer: name,
            transactionId: id
        )
    }

    private static func propertyList(_ members: [(String, String)]) -> String {
        "{\n" + members.map { "\t\"\($0.0)\" = \"\($0.1)\";\n" }.joined() + "}"
    }

    /// The members of a property list of plain strings; what is nothing of the kind is passed by.
    private static func values(in text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            if parts.count == 5, parts[2] == " = ", parts[4] == ";" { values[String(parts[1])] = String(parts[3]) }
        }
        return values
    }
}
