import SwiftASN1

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

    /// The type.
    let type: Int
    /// The value's bytes, for most types DER themselves.
    let value: ArraySlice<UInt8>

    /// Creates an attribute of raw bytes.
    ///
    /// - Parameters:
    ///   - kind: The type.
    ///   - bytes: The bytes.
    init(_ kind: Kind, bytes: [UInt8]) {
        type = kind.rawValue
        value = bytes[...]
    }

    /// Creates an attribute whose value is DER.
    ///
    /// - Parameters:
    ///   - kind: The type.
    ///   - value: The value.
    /// - Throws: The error of swift-asn1.
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
