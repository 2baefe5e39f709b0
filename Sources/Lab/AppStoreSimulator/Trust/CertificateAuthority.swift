import Crypto
package import Foundation
import Offers
import SwiftASN1
import X509

/// Makes the simulator's certificates: a root and an intermediate on P-384 and a leaf on P-256, as Apple's are, with
/// the extensions by which Apple marks what may sign for the App Store.
struct CertificateAuthority {
    /// `1.2.840.113635.100.6.2.1`: Apple's Worldwide Developer Relations intermediate.
    static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// `1.2.840.113635.100.6.11.1`: signs receipts and the App Store's JWS.
    static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// The leaf's private key; those of the root and the intermediate are forgotten.
    let leafKey: P256.Signing.PrivateKey
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    /// Makes new keys and certificates, valid for every moment that the simulator's clock can show.
    init() throws {
        let rootKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
        let rootName = try Self.name("Simulated App Store Root CA")
        root = try Self.certificate(rootName, rootKey.publicKey, by: rootName, rootKey, Self.authority(nil))
        let intermediateKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
        let intermediateName = try Self.name("Simulated App Store Intermediate CA")
        intermediate = try Self.certificate(
            intermediateName,
            intermediateKey.publicKey,
            by: rootName,
            rootKey,
            Self.authority(0) + [Self.mark(Self.intermediateMark)]
        )
        leafKey = P256.Signing.PrivateKey()
        leaf = try Self.certificate(
            try Self.name("Simulated App Store Receipt Signing"),
            Certificate.PublicKey(leafKey.publicKey),
            by: intermediateName,
            intermediateKey,
            [
                try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
                try Certificate.Extension(KeyUsage(digitalSignature: true), critical: true),
                Self.mark(Self.leafMark),
            ]
        )
    }

    private static func certificate(
        _ subject: DistinguishedName,
        _ key: Certificate.PublicKey,
        by issuer: DistinguishedName,
        _ issuerKey: Certificate.PrivateKey,
        _ extensions: [Certificate.Extension]
    ) throws -> Certificate {
        let issuerIdentifier = SubjectKeyIdentifier(hash: issuerKey.publicKey).keyIdentifier
        let identifiers = [
            try Certificate.Extension(SubjectKeyIdentifier(hash: key), critical: false),
            try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier), critical: false),
        ]
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: SimulatedClock.range.lowerBound.date,
            notValidAfter: SimulatedClock.range.upperBound.adding(seconds: 366 * 86400).date,
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: try Certificate.Extensions(extensions + identifiers),
            issuerPrivateKey: issuerKey
        )
    }

    private static func authority(_ maximumPathLength: Int?) throws -> [Certificate.Extension] {
        let constraints = BasicConstraints.isCertificateAuthority(maxPathLength: maximumPathLength)
        return [
            try Certificate.Extension(constraints, critical: true),
            try Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
        ]
    }

    private static func mark(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: false, value: [0x05, 0x00])
    }

    private static func name(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationName("Offer Signer")
        }
    }
}

/// The simulated App Store's signing key: a leaf of its own, with the chain up to its own root.
package struct AppStoreSigner: Sendable {
    /// Leaf, intermediate and root, DER.
    let chain: [[UInt8]]
    private let key: P256.Signing.PrivateKey
    /// The JWS header with its dot, the same for all that is signed.
    private let header: [UInt8]

    init(key: P256.Signing.PrivateKey, chain: [[UInt8]]) {
        self.key = key
        self.chain = chain
        let x5c = chain.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
        var header: [UInt8] = []
        Base64URL.append(#"{"alg":"ES256","x5c":[\#(x5c)]}"#.utf8, to: &header)
        self.header = header + [UInt8(ascii: ".")]
    }

    init(_ authority: CertificateAuthority) throws {
        let chain = try [authority.leaf, authority.intermediate, authority.root].map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
        self.init(key: authority.leafKey, chain: chain)
    }

    /// Reads the directory that `offer-lab app-store` was started with.
    package init(directory: URL) throws(SimulatorFault) {
        do throws(SimulatorFault) {
            self = try SignerDirectory(url: directory).read()
        } catch {
            throw SimulatorFault(
                "\(directory.path) has not the key and certificates of a stand-in App Store, which offer-lab app-store "
                    + "--directory makes there: \(error)"
            )
        }
    }

    var publicKey: P256.Signing.PublicKey { key.publicKey }

    /// Signs a payload as the App Store does: compact JWS, ES256, three certificates in `x5c`.
    package func jws(_ payload: [UInt8]) -> String {
        var text: [UInt8] = []
        appendJWS(payload, jwsSignature(over: payload)[...], to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The 64 bytes of the signature in the JWS of a payload.
    package func jwsSignature(over payload: [UInt8]) -> [UInt8] {
        var text = header
        text.reserveCapacity(header.count + payload.count * 4 / 3 + 2)
        Base64URL.append(payload, to: &text)
        return signature(over: text).map { Array($0.rawRepresentation) } ?? []
    }

    package func appendJWS(_ payload: [UInt8], _ signature: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text += header
        Base64URL.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
    }

    func derSignature(over bytes: [UInt8]) -> Data { signature(over: bytes)?.derRepresentation ?? Data() }

    /// Signs bytes with SHA-256 and ECDSA; fails only without memory, and then gives what nobody takes for a signature.
    private func signature(over bytes: [UInt8]) -> P256.Signing.ECDSASignature? { try? key.signature(for: bytes) }
}
