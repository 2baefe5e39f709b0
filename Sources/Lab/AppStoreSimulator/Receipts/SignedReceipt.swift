import Crypto
import Offers
import SwiftASN1
import X509

/// PKCS #7 `SignedData` (RFC 5652 §5) around the attributes of an app receipt, signed without signed attributes.
struct SignedReceipt {
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    private static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
    private static let tag0 = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)

    let content: [UInt8]
    let signature: [UInt8]

    init(_ content: [UInt8], signer: AppStoreSigner) {
        self.content = content
        signature = Array(signer.derSignature(over: content))
    }

    /// Reads a receipt; whether it is authentic is another question.
    init(der: [UInt8]) throws {
        (content, signature) = try DER.sequence(try DER.parse(der), identifier: .sequence) { outer in
            guard try ASN1ObjectIdentifier(derEncoded: &outer) == Self.signedData else { throw ReceiptFault.malformed }
            return try DER.explicitlyTagged(&outer, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { nodes in
                    _ = try Int(derEncoded: &nodes)
                    _ = nodes.next()
                    guard let encapsulated = nodes.next() else { throw ReceiptFault.malformed }
                    let content = try DER.sequence(encapsulated, identifier: .sequence) { inner in
                        _ = try ASN1ObjectIdentifier(derEncoded: &inner)
                        return try DER.explicitlyTagged(&inner, tagNumber: 0, tagClass: .contextSpecific) {
                            Array(try ASN1OctetString(derEncoded: $0).bytes)
                        }
                    }
                    _ = nodes.next()
                    guard let signers = nodes.next() else { throw ReceiptFault.malformed }
                    return (content, try Self.signature(in: signers))
                }
            }
        }
    }

    private static func signature(in signers: ASN1Node) throws -> [UInt8] {
        try DER.set(signers, identifier: .set) { signers in
            guard let signer = signers.next() else { throw ReceiptFault.malformed }
            return try DER.sequence(signer, identifier: .sequence) { fields in
                for _ in 0..<4 { _ = fields.next() }
                return Array(try ASN1OctetString(derEncoded: &fields).bytes)
            }
        }
    }

    func der(chain: [[UInt8]]) throws -> [UInt8] {
        guard let leaf = chain.first else { throw ReceiptFault.malformed }
        let certificate = try Certificate(derEncoded: leaf)
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { outer in
            try outer.serialize(Self.signedData)
            try outer.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { outer in
                try outer.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(1)
                    try coder.appendConstructedNode(identifier: .set) { try Self.append(Self.sha256, to: &$0) }
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.serialize(Self.data)
                        try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                            try $0.serialize(ASN1OctetString(contentBytes: content[...]))
                        }
                    }
                    coder.appendConstructedNode(identifier: Self.tag0) { coder in
                        for certificate in chain { coder.serializeRawBytes(certificate) }
                    }
                    try coder.appendConstructedNode(identifier: .set) { try appendSigner(certificate, to: &$0) }
                }
            }
        }
        return serializer.serializedBytes
    }

    private func appendSigner(_ certificate: Certificate, to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(1)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(certificate.issuer)
                try coder.serialize(certificate.serialNumber.bytes)
            }
            try Self.append(Self.sha256, to: &coder)
            try Self.append(Self.ecdsaWithSHA256, to: &coder)
            try coder.serialize(ASN1OctetString(contentBytes: signature[...]))
        }
    }

    private static func append(_ algorithm: ASN1ObjectIdentifier, to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { try $0.serialize(algorithm) }
    }
}

/// The owner of a receipt: all that the simulator reads from one.
struct ReceiptIdentity: Equatable, Sendable {
    let environment: AppStoreEnvironment
    let bundleId: String
    let customer: String
    /// The transaction, for an iOS 6 style receipt.
    var transactionId: String?
}

/// Why a text is not a receipt of this simulator.
enum ReceiptFault: Error, Equatable {
    /// It does not have the form of a receipt: status 21002.
    case malformed
    /// It has, and another signed it: status 21003.
    case notAuthentic
}
