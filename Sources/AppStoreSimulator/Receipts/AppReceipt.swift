import Crypto
import Foundation
import Offers
import SwiftASN1

/// An app receipt as the device has it: Base64 of a signed SET of attributes.
enum AppReceipt {
    /// Writes a customer's receipt.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - now: The moment that the clock shows.
    ///   - signer: The simulator's signer.
    /// - Returns: Base64.
    /// - Throws: `SimulatorFault` when it cannot be written.
    static func text(
        of customer: StoreCustomer,
        at now: Timestamp,
        signer: AppStoreSigner
    ) throws(SimulatorFault) -> String {
        do {
            let type = customer.environment == .production ? "Production" : "ProductionSandbox"
            var attributes = [
                try ReceiptAttribute(.environment, ASN1UTF8String(type)),
                try ReceiptAttribute(.bundleId, ASN1UTF8String(customer.bundleId)),
                try ReceiptAttribute(.applicationVersion, ASN1UTF8String("1")),
                ReceiptAttribute(.opaque, bytes: Array(customer.name.utf8)),
                ReceiptAttribute(.digest, bytes: Array(Insecure.SHA1.hash(data: Array(customer.name.utf8)))),
                try ReceiptAttribute(.creationDate, ASN1IA5String(now.rfc3339)),
                try ReceiptAttribute(.originalApplicationVersion, ASN1UTF8String("1")),
            ]
            for transaction in customer.transactions {
                attributes.append(ReceiptAttribute(.inApp, bytes: try inApp(transaction)))
            }
            let receipt = try SignedReceipt(try set(of: attributes), signer: signer)
            return Data(try receipt.der(chain: signer.chain)).base64EncodedString()
        } catch {
            throw SimulatorFault("cannot write the receipt of \(customer.name): \(error)")
        }
    }

    /// Reads a receipt that this simulator has signed.
    ///
    /// - Parameters:
    ///   - text: Base64.
    ///   - signer: The simulator's signer.
    /// - Returns: Whose it is.
    /// - Throws: `ReceiptFault` when it is no receipt, or another has signed it.
    static func identity(_ text: String, signer: AppStoreSigner) throws(ReceiptFault) -> ReceiptIdentity {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
            let receipt = try? SignedReceipt(der: Array(data)),
            let attributes = try? DER.set(
                of: ReceiptAttribute.self,
                identifier: .set,
                rootNode: DER.parse(receipt.content)
            )
        else { throw .malformed }
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: receipt.signature),
            signer.publicKey.isValidSignature(signature, for: receipt.content)
        else { throw .notAuthentic }
        var values: [Int: ArraySlice<UInt8>] = [:]
        for attribute in attributes { values[attribute.type] = attribute.value }
        guard let type = string(values[0]), let bundleId = string(values[2]), let name = values[4] else {
            throw .malformed
        }
        return ReceiptIdentity(
            environment: type == "Production" ? .production : .sandbox,
            bundleId: bundleId,
            customer: String(decoding: name, as: UTF8.self)
        )
    }

    private static func inApp(_ transaction: StoreTransaction) throws -> [UInt8] {
        var attributes = [
            try ReceiptAttribute(.quantity, 1),
            try ReceiptAttribute(.productId, ASN1UTF8String(transaction.productId)),
            try ReceiptAttribute(.transactionId, ASN1UTF8String(transaction.transactionId)),
            try ReceiptAttribute(.purchaseDate, ASN1IA5String(transaction.purchaseDate.rfc3339)),
            try ReceiptAttribute(.originalTransactionId, ASN1UTF8String(transaction.originalTransactionId)),
            try ReceiptAttribute(.originalPurchaseDate, ASN1IA5String(transaction.originalPurchaseDate.rfc3339)),
            try ReceiptAttribute(.expiresDate, ASN1IA5String(transaction.expiresDate.rfc3339)),
            try ReceiptAttribute(.isInIntroductoryOfferPeriod, transaction.offer?.kind == .introductory ? 1 : 0),
        ]
        if let order = Int64(transaction.webOrderLineItemId) {
            attributes.append(try ReceiptAttribute(.webOrderLineItemId, order))
        }
        if let revocation = transaction.revocation {
            attributes.append(try ReceiptAttribute(.cancellationDate, ASN1IA5String(revocation.date.rfc3339)))
        }
        return try set(of: attributes)
    }

    private static func set(of attributes: [ReceiptAttribute]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serializeSetOf(attributes)
        return serializer.serializedBytes
    }

    private static func string(_ value: ArraySlice<UInt8>?) -> String? {
        guard let value, let node = try? DER.parse(value), let text = try? ASN1UTF8String(derEncoded: node) else {
            return nil
        }
        return String(text)
    }
}
