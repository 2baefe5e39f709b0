import SwiftASN1

/// An app receipt: PKCS #7 `SignedData` over a SET of attributes ("Validating receipts on the device"), in BER.
struct AppReceipt {
    /// A transaction to ask about: of a subscription where there is one, the last that the receipt names.
    let transactionId: String?
    let bundleId: String?
    /// Whether StoreKit Testing in Xcode made it, which Apple's servers know nothing of.
    let isFromXcode: Bool

    /// Indefinite lengths and constructed strings occur.
    init(ber bytes: [UInt8]) throws {
        var subscription: String?
        var other: String?
        let attributes = try Self.attributes(in: Self.payload(of: BER.parse(bytes)))
        func text(ofType type: Int) -> String? {
            attributes.first { $0.type == type }.flatMap { try? Self.text($0.value) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        bundleId = text(ofType: 2)
        isFromXcode = text(ofType: 0) == "Xcode" || bytes.contains(Self.xcodeSigner)
        for attribute in attributes where attribute.type == 17 {
            let inApp = try Self.attributes(in: attribute.value)
            let id = try inApp.last { $0.type == 1703 }.map { try Self.text($0.value) }
            guard let id, !id.isEmpty else { continue }
            // An empty expiry stands for none.
            let expiry = try inApp.last { $0.type == 1708 }.map { try Self.text($0.value) }
            if let expiry, !expiry.isEmpty { subscription = id } else { other = id }
        }
        transactionId = subscription ?? other
    }

    /// The name in the certificate that Xcode signs with.
    private static let xcodeSigner = Array("StoreKit Testing in Xcode".utf8)

    /// `ReceiptAttribute`: SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }.
    private struct Attribute {
        let type: Int
        let value: ArraySlice<UInt8>
    }

    /// The content of `ContentInfo` (RFC 2315 §7) with `SignedData` (§9.1).
    private static func payload(of node: ASN1Node) throws -> ArraySlice<UInt8> {
        try BER.sequence(node, identifier: .sequence) { contentInfo in
            let type = try ASN1ObjectIdentifier(berEncoded: &contentInfo)
            guard type == [1, 2, 840, 113_549, 1, 7, 2] else {
                throw ASN1Error.invalidASN1Object(reason: "no SignedData")
            }
            let content = try explicit(contentInfo.next())
            while contentInfo.next() != nil {}
            return try BER.sequence(content, identifier: .sequence) { signedData in
                _ = signedData.next()  // version
                _ = signedData.next()  // digestAlgorithms
                guard let encapsulated = signedData.next() else {
                    throw ASN1Error.invalidASN1Object(reason: "no content")
                }
                // Certificates and signatures are passed by.
                while signedData.next() != nil {}
                return try BER.sequence(encapsulated, identifier: .sequence) { contentInfo in
                    _ = contentInfo.next()  // contentType
                    let content = try ASN1OctetString(berEncoded: explicit(contentInfo.next()))
                    while contentInfo.next() != nil {}
                    return content.bytes
                }
            }
        }
    }

    /// The content of `[0] EXPLICIT`.
    private static func explicit(_ node: ASN1Node?) throws -> ASN1Node {
        let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        guard let node, node.identifier == tag, case .constructed(let nodes) = node.content else {
            throw ASN1Error.invalidASN1Object(reason: "no content")
        }
        var iterator = nodes.makeIterator()
        guard let inner = iterator.next(), iterator.next() == nil else {
            throw ASN1Error.invalidASN1Object(reason: "not one value in an explicit tag")
        }
        return inner
    }

    private static func attributes(in bytes: ArraySlice<UInt8>) throws -> [Attribute] {
        let node = try BER.parse(bytes)
        guard node.identifier == .set, case .constructed(let nodes) = node.content else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        return try nodes.map { node in
            try BER.sequence(node, identifier: .sequence) { attribute in
                let type = try Int(berEncoded: &attribute)
                _ = attribute.next()  // version
                let value = try ASN1OctetString(berEncoded: &attribute)
                while attribute.next() != nil {}
                return Attribute(type: type, value: value.bytes)
            }
        }
    }

    /// The text of a UTF8String or IA5String; other types give an empty text.
    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        let node = try BER.parse(bytes)
        guard node.identifier == .utf8String || node.identifier == .ia5String,
            case .primitive(let content) = node.content
        else { return "" }
        return String(decoding: content, as: UTF8.self)
    }
}
