import Crypto
import FoundationEssentials
package import Offers
import SwiftASN1
import X509

/// The certificates of a JWS, as Apple's rules for signed data ask for them (App Store Server API, `JWSDecodedHeader`).
///
/// The chain has a fixed form, so it is followed by hand from certificate to certificate: the verifier of
/// swift-certificates searches for a chain, and is asynchronous. Certificates are parsed and signatures checked there.
struct CertificateChain {
    /// The extension with which Apple marks certificates that sign App Store data.
    private static let signerPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    /// The extension with which Apple marks the intermediate certificates of Worldwide Developer Relations.
    private static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    /// The critical extensions that are looked at below; any other makes a certificate unfit (RFC 5280 §4.2).
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
    ]

    private let certificates: [Certificate]

    /// Reads the certificates that matter; the third is not among them: it may be a root, but is no reason for trust.
    init(_ der: [[UInt8]]) throws(SignedDataFault) {
        guard der.count == 3 || der.count == 1 else {
            throw SignedDataFault(.chainLength, "x5c has \(der.count) certificates; the App Store sends three.")
        }
        do {
            certificates = try der.prefix(2).map { try Certificate(derEncoded: $0) }
        } catch {
            throw SignedDataFault(.certificateMalformed, "A certificate of x5c is no X.509 certificate.")
        }
    }

    /// Follows the chain to a root.
    func signer(endingAt roots: [Certificate], apples: [Certificate]) throws(SignedDataFault) -> VerifiedSigner {
        guard certificates.count == 2 else { return try selfSigned(among: roots, apples: apples) }
        let (leaf, intermediate) = (certificates[0], certificates[1])
        guard leaf.extensions[oid: Self.signerPurpose] != nil else {
            throw SignedDataFault(
                .certificatePurpose,
                "The first certificate is not marked for signing App Store data."
            )
        }
        guard intermediate.extensions[oid: Self.intermediatePurpose] != nil else {
            throw SignedDataFault(.certificatePurpose, "The second certificate is not marked as Apple's intermediate.")
        }
        if let fault = Self.faultOfSigner(leaf) {
            throw SignedDataFault(.chainBroken, "The first certificate may not sign data: \(fault).")
        }
        if let fault = Self.faultOfIssuer(intermediate) {
            throw SignedDataFault(.chainBroken, "The second certificate may not issue the first: \(fault).")
        }
        guard Self.certifies(intermediate, leaf) else {
            throw SignedDataFault(.chainBroken, "The second certificate did not issue the first.")
        }
        guard let root = roots.first(where: { Self.certifies($0, intermediate) }) else {
            throw SignedDataFault(
                .untrustedRoot,
                "The chain does not end at Apple Root CA - G3, nor at a root of appStore.roots or appStore.additionalRoots."
            )
        }
        return try signer(of: leaf, chain: [leaf, intermediate, root], isSelfSigned: false, apples: apples)
    }

    /// The signer of a JWS with one certificate, as Xcode makes them: the operator has to trust that very certificate.
    private func selfSigned(among roots: [Certificate], apples: [Certificate]) throws(SignedDataFault) -> VerifiedSigner
    {
        guard let only = certificates.first, roots.contains(only) else {
            throw SignedDataFault(
                .chainLength,
                "x5c has one certificate, as of StoreKit Testing in Xcode, and it is not among appStore.additionalRoots; the "
                    + "App Store sends three. Test with the Sandbox."
            )
        }
        return try signer(of: only, chain: [only], isSelfSigned: true, apples: apples)
    }

    private func signer(
        of leaf: Certificate,
        chain: [Certificate],
        isSelfSigned: Bool,
        apples: [Certificate]
    ) throws(SignedDataFault) -> VerifiedSigner {
        guard let publicKey = P256.Signing.PublicKey(leaf.publicKey) else {
            throw SignedDataFault(.chainBroken, "The first certificate's key is not on the curve P-256.")
        }
        let from = chain.map { Timestamp($0.notValidBefore) }.max() ?? Timestamp(millisecondsSince1970: .max)
        // A certificate is valid to the end of the second that it names (RFC 5280 §4.1.2.5).
        let to = chain.map { Timestamp($0.notValidAfter).adding(milliseconds: 999) }.min()
        guard let to, from <= to else {
            throw SignedDataFault(.chainExpired, "There is no time at which the whole chain is valid.")
        }
        return VerifiedSigner(
            publicKey: publicKey,
            validity: from...to,
            isSelfSigned: isSelfSigned,
            isApples: chain.last.map(apples.contains) ?? false
        )
    }

    /// Whether a certificate issued another: the names join, and the signature is its own.
    private static func certifies(_ issuer: Certificate, _ certificate: Certificate) -> Bool {
        issuer.subject == certificate.issuer
            && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// Why a certificate may not issue others (RFC 5280 §4.2.1.3 and §4.2.1.9); `nil` where it may.
    private static func faultOfIssuer(_ certificate: Certificate) -> String? {
        guard case .isCertificateAuthority = try? certificate.extensions.basicConstraints else {
            return "its basicConstraints do not say CA:TRUE"
        }
        guard let usage = try? certificate.extensions.keyUsage else {
            return "it has no keyUsage, and needs one with keyCertSign"
        }
        return usage.keyCertSign ? faultOfForm(certificate) : "its keyUsage lacks keyCertSign"
    }

    /// Why a certificate may not sign data: one that issues others is not Apple's for that.
    private static func faultOfSigner(_ certificate: Certificate) -> String? {
        faultOfIssuer(certificate) == nil ? "it is one that issues others" : faultOfForm(certificate)
    }

    /// Why a certificate is not understood: not of version 3, or with demands that are not looked at here.
    private static func faultOfForm(_ certificate: Certificate) -> String? {
        guard certificate.version == .v3 else { return "it is not of version 3" }
        let foreign = certificate.extensions.first { $0.critical && !understood.contains($0.oid) }
        return foreign.map { "its extension \($0.oid) is critical, and not known here" }
    }
}

/// A root certificate that signed data may end at.
package struct TrustedRoot: Equatable, Sendable {
    let certificate: Certificate
    /// Of the certificate in DER.
    package let sha256: String

    private init(der: [UInt8]) throws(SignedDataFault) {
        sha256 = SHA256.hash(data: der).hexadecimal
        do {
            certificate = try Certificate(derEncoded: der)
        } catch {
            throw SignedDataFault(.certificateMalformed, "The file is no X.509 certificate, neither in DER nor in PEM.")
        }
    }

    /// Reads the first certificate of a file.
    package init(contents bytes: [UInt8]) throws(SignedDataFault) {
        self = try Self.roots(in: bytes)[0]
    }

    /// Reads the content of a file, at least one: DER, or PEM with certificates, whose lines may have any length, and other text between.
    package static func roots(in bytes: [UInt8]) throws(SignedDataFault) -> [TrustedRoot] {
        guard bytes.first != 0x30 else { return [try TrustedRoot(der: bytes)] }
        let blocks = String(decoding: bytes, as: UTF8.self).split(
            separator: "-----BEGIN ",
            omittingEmptySubsequences: false
        )
        let (begin, end) = ("CERTIFICATE-----", "-----END CERTIFICATE-----")
        var roots: [TrustedRoot] = []
        for block in blocks.dropFirst() where block.hasPrefix(begin) {
            let body = block.dropFirst(begin.count).split(
                separator: end,
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let der = body.count == 2 ? Base64.decode(String(body[0].filter { !$0.isWhitespace })) : nil
            roots.append(try TrustedRoot(der: der ?? []))
        }
        guard !roots.isEmpty else { return [try TrustedRoot(der: [])] }
        return roots
    }

    /// Apple Root CA - G3.
    ///
    /// Were the certificate not readable, which a test rules out, nothing of Apple's would be trusted.
    static var appleRootCAG3: TrustedRoot? {
        guard let der = Base64.decode(AppleRootCA.g3Base64) else { return nil }
        return try? TrustedRoot(contents: der)
    }
}

/// Apple Root CA - G3, at which the chains of everything end that the App Store signs.
///
/// Published at <https://www.apple.com/certificateauthority/>. Pinned: neither the system's trust store nor a certificate
/// that a JWS brings along takes its place.
enum AppleRootCA {
    /// The SHA-256 of the certificate in DER.
    static let g3SHA256 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"

    /// The certificate in DER, as Base64.
    static let g3Base64 = """
        MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEcz\
        MSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkG\
        A1UEBhMCVVMwHhcNMTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENB\
        IC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMu\
        MQswCQYDVQQGEwJVUzB2MBAGByqGSM49AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWm\
        BSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEK\
        MaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQD\
        AgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4\
        at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM6BgD56KyKA==
        """
}

extension Timestamp {
    /// The moment of a `Date`, held at the ends of what milliseconds since 1970 can say exactly.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(millisecondsSince1970: Int64(min(max(milliseconds, -0x1p53), 0x1p53)))
    }
}
