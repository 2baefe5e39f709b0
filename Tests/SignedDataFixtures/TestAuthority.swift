import Crypto
package import Foundation
import SwiftASN1
import X509

/// A certificate authority for tests, built like Apple's: a root, an intermediate, and signers with Apple's extensions.
package struct TestAuthority: Sendable {
    /// What is wrong with an authority or a signer.
    package enum Flaw: Sendable {
        /// The intermediate lacks Apple's extension.
        case intermediateWithoutPurpose
        /// The intermediate may not issue certificates.
        case intermediateIsNoAuthority
        /// The intermediate is an authority, but its key may not sign certificates.
        case intermediateMayNotCertify
        /// The intermediate is an authority, and does not say what its key may do.
        case intermediateWithoutKeyUsage
        /// The intermediate asks for an extension that nobody knows.
        case intermediateWithUnknownCriticalExtension
        /// The signer lacks Apple's extension.
        case signerWithoutPurpose
        /// The signer asks for an extension that nobody knows.
        case unknownCriticalExtension
        /// The signer is an authority itself.
        case signerIsAuthority
        /// The signer's certificate is of another intermediate with the same name.
        case issuedByAnother
        /// The signer's certificate names another issuer than the intermediate, whose key signed it.
        case issuerOfAnotherName
    }

    private let rootKey = P384.Signing.PrivateKey()
    private let intermediateKey = P384.Signing.PrivateKey()
    private let root: Certificate
    private let intermediate: Certificate
    private let flaws: Set<Flaw>

    /// Creates an authority, valid from 2001 to 2065.
    ///
    /// - Parameter flaws: What is wrong with it.
    /// - Throws: An error of swift-certificates.
    package init(_ flaws: Flaw...) throws {
        self.flaws = Set(flaws)
        let rootName = try DistinguishedName { CommonName("Test Root") }
        root = try Self.certificate(
            rootName,
            issuedBy: rootName,
            .init(rootKey.publicKey),
            signedBy: .init(rootKey),
            extensions: Self.authority()
        )
        var extensions =
            flaws.contains(.intermediateWithoutPurpose) ? [] : [Self.marker([1, 2, 840, 113_635, 100, 6, 2, 1])]
        if !flaws.contains(.intermediateIsNoAuthority) {
            extensions += try Self.authority(mayCertify: !flaws.contains(.intermediateMayNotCertify))
        }
        if flaws.contains(.intermediateWithoutKeyUsage) { extensions.removeLast() }
        if flaws.contains(.intermediateWithUnknownCriticalExtension) {
            extensions.append(Self.marker([1, 2, 3, 4], critical: true))
        }
        intermediate = try Self.certificate(
            try DistinguishedName { CommonName("Test Intermediate") },
            issuedBy: rootName,
            .init(intermediateKey.publicKey),
            signedBy: .init(rootKey),
            extensions: extensions
        )
    }

    /// The root in DER.
    package var rootDER: [UInt8] { get throws { try Self.der(root) } }

    /// The root in PEM.
    package var rootPEM: String { get throws { try root.serializeAsPEM().pemString } }

    /// Issues a signer's certificate.
    ///
    /// - Parameters:
    ///   - from: From when it is valid.
    ///   - to: Until when it is valid.
    /// - Returns: The signer.
    /// - Throws: An error of swift-certificates.
    package func signer(
        from: Date = Date(timeIntervalSince1970: 1_000_000_000),
        to: Date = Date(timeIntervalSince1970: 3_000_000_000)
    ) throws -> TestSigner {
        let key = P256.Signing.PrivateKey()
        var extensions =
            flaws.contains(.signerWithoutPurpose) ? [] : [Self.marker([1, 2, 840, 113_635, 100, 6, 11, 1])]
        if flaws.contains(.unknownCriticalExtension) { extensions.append(Self.marker([1, 2, 3, 4], critical: true)) }
        if flaws.contains(.signerIsAuthority) { extensions += try Self.authority() }
        let issuerKey = flaws.contains(.issuedByAnother) ? P384.Signing.PrivateKey() : intermediateKey
        let leaf = try Self.certificate(
            try DistinguishedName { CommonName("Test Signer") },
            issuedBy: flaws.contains(.issuerOfAnotherName) ? root.subject : intermediate.subject,
            .init(key.publicKey),
            signedBy: .init(issuerKey),
            from: from,
            to: to,
            extensions: extensions
        )
        return TestSigner(key: key, certificates: try [leaf, intermediate, root].map(Self.der))
    }

    /// A signer with one certificate that it signed itself, as Xcode makes them.
    ///
    /// - Returns: The signer.
    /// - Throws: An error of swift-certificates.
    package static func selfSigned() throws -> TestSigner {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("StoreKit Testing in Xcode") }
        let only = try certificate(name, issuedBy: name, .init(key.publicKey), signedBy: .init(key), extensions: [])
        return TestSigner(key: key, certificates: [try der(only)])
    }

    private static func authority(mayCertify: Bool = true) throws -> [Certificate.Extension] {
        [
            try Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
            try Certificate.Extension(KeyUsage(keyCertSign: mayCertify, cRLSign: true), critical: true),
        ]
    }

    /// An extension whose presence is all that it says: its value is NULL, as Apple's is.
    private static func marker(_ oid: ASN1ObjectIdentifier, critical: Bool = false) -> Certificate.Extension {
        Certificate.Extension(oid: oid, critical: critical, value: [0x05, 0x00])
    }

    private static func certificate(
        _ subject: DistinguishedName,
        issuedBy issuer: DistinguishedName,
        _ publicKey: Certificate.PublicKey,
        signedBy key: Certificate.PrivateKey,
        from: Date = Date(timeIntervalSince1970: 1_000_000_000),
        to: Date = Date(timeIntervalSince1970: 3_000_000_000),
        extensions: [Certificate.Extension]
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: from,
            notValidAfter: to,
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: key.isP256 ? .ecdsaWithSHA256 : .ecdsaWithSHA384,
            extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: key
        )
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

extension Certificate.PrivateKey {
    fileprivate var isP256: Bool { P256.Signing.PublicKey(publicKey) != nil }
}
