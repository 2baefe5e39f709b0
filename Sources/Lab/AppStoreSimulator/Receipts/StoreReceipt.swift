import Crypto
import Foundation
import Offers
import SwiftASN1

/// An app receipt as the device has it: Base64 of a signed SET of attributes.
enum StoreReceipt {
    /// A customer's receipt, in Base64.
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
            let receipt = SignedReceipt(try set(of: attributes), signer: signer)
            return Data(try receipt.der(chain: signer.chain)).base64EncodedString()
        } catch {
            throw SimulatorFault("cannot write the receipt of \(customer.name): \(error)")
        }
    }

    /// The owner of a receipt that this simulator has signed.
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
            try ReceiptAttribute(.quantity, transaction.quantity),
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

/// One attribute of an app receipt: `{type, version, value}` (Apple's "Validating receipts on the device").
struct ReceiptAttribute: DERImplicitlyTaggable {
    /// The types that the simulator writes.
    enum Kind: Int {
        case environment = 0
        case bundleId = 2
        case applicationVersion = 3
        case opaque = 4
        case digest = 5
        case creationDate = 12
        case inApp = 17
        case originalApplicationVersion = 19
        case quantity = 1701
        case productId = 1702
        case transactionId = 1703
        case purchaseDate = 1704
        case originalTransactionId = 1705
        case originalPurchaseDate = 1706
        case expiresDate = 1708
        case webOrderLineItemId = 1711
        case cancellationDate = 1712
        case isInIntroductoryOfferPeriod = 1719
    }

    static var defaultIdentifier: ASN1Identifier { .sequence }

    let type: Int
    /// The value's bytes, for most types DER themselves.
    let value: ArraySlice<UInt8>

    /// Creates an attribute of raw bytes.
    init(_ kind: Kind, bytes: [UInt8]) {
        type = kind.rawValue
        value = bytes[...]
    }

    /// Creates an attribute whose value is DER.
    init(_ kind: Kind, _ value: some DERSerializable) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        self.init(kind, bytes: serializer.serializedBytes)
    }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        (type, value) = try DER.sequence(node, identifier: identifier) { nodes in
            let type = try Int(derEncoded: &nodes)
            _ = try Int(derEncoded: &nodes)
            return (type, try ASN1OctetString(derEncoded: &nodes).bytes)
        }
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.serialize(type)
            try coder.serialize(1)
            try coder.serialize(ASN1OctetString(contentBytes: value))
        }
    }
}
