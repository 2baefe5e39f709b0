import Crypto
import EvidenceRecognition
package import Offers
import StrictJSON
import X509

/// Checks the signatures of the App Store's signed data (JWS).
///
/// Trusted is what is signed with ES256 by a certificate that Apple marked for it, whose chain of three ends at the pinned
/// Apple Root CA - G3, or at a root that the operator added, and was valid when the data was signed. What
/// it says (app, environment) is for the caller to compare.
package struct SignedDataVerifier: Sendable {
    /// The content of a JWS whose signature is good.
    package struct Payload: Sendable {
        /// The payload: the text of one JSON object.
        package let json: [UInt8]
        /// When it was signed (`signedDate`).
        package let signedDate: Timestamp
        /// Whether it comes from a test on a developer's machine, signed by a certificate that the operator added.
        ///
        /// It may only speak of the environments Xcode and LocalTesting.
        package let isLocallySigned: Bool
    }

    /// Apple's own: the built-in one, and those that the operator pinned.
    private let apples: [Certificate]
    private let roots: [Certificate]
    private let intermediates: AppleIntermediates?
    private var clock: (any AppleClock)?
    let cache = SignerCache()
    let genuine = VerifiedJWSCache()

    /// Takes roots of Apple's beside the built-in one, others that are trusted, and the observer of new intermediates.
    package init(
        appleRoots: [TrustedRoot] = [],
        additionalRoots: [TrustedRoot] = [],
        telling intermediates: AppleIntermediates? = nil
    ) {
        let apples = [TrustedRoot.appleRootCAG3].compactMap(\.self) + appleRoots
        self.init(apples: apples, additionalRoots: additionalRoots, telling: intermediates)
    }

    init(apples: [TrustedRoot], additionalRoots: [TrustedRoot] = [], telling intermediates: AppleIntermediates? = nil) {
        self.apples = apples.map(\.certificate)
        roots = self.apples + additionalRoots.map(\.certificate)
        self.intermediates = intermediates
    }

    /// The same verifier, which also reports Apple's clock: by the date of everything that ends at Apple's own root.
    ///
    /// What ends at an additional root is as genuine, but Apple's clock did not date it. Both know the same signers.
    package func reporting(to clock: any AppleClock) -> SignedDataVerifier {
        var verifier = self
        verifier.clock = clock
        return verifier
    }

    package func payload(of text: String) throws(SignedDataFault) -> Payload {
        let jws = try CompactJWS(text)
        let signer = try signer(of: jws)
        let signedDate = try Self.signedDate(of: jws.payload)
        guard signer.validity.contains(signedDate) else {
            throw SignedDataFault(
                .chainExpired,
                "The data is signed on \(signedDate.rfc3339), when its certificates were not valid."
            )
        }
        if signer.isApples { clock?.observe(.signed(signedDate)) }
        return Payload(json: jws.payload, signedDate: signedDate, isLocallySigned: signer.isSelfSigned)
    }

    /// Who signed a JWS, once the signature is known to be the signer's, and the signer to be trusted.
    private func signer(of jws: CompactJWS) throws(SignedDataFault) -> VerifiedSigner {
        let digest = SHA256.hash(data: jws.bytes)
        let known = cache.signer(namedBy: jws.headerText)
        if let known, genuine.knows(digest) { return known }
        let signer = if let known { known } else { try verifiedSigner(of: jws) }
        guard jws.signature.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            signer.publicKey.isValidSignature(signature, for: jws.signedBytes)
        else {
            throw SignedDataFault(
                .signatureInvalid,
                "The signature is not the certificate's over this payload: another key made it, or it was changed."
            )
        }
        if known == nil { cache.store(signer, namedBy: jws.headerText) }
        genuine.insert(digest)
        return signer
    }

    /// The signer that a JWS names, once its certificates are followed to a trusted root.
    private func verifiedSigner(of jws: CompactJWS) throws(SignedDataFault) -> VerifiedSigner {
        let certificates = try JWSHeader(jws.headerText).certificates
        let signer = try CertificateChain(certificates).signer(endingAt: roots, apples: apples)
        cache.countVerification()
        if signer.isApples, certificates.count == 3 { intermediates?.record(certificates[1]) }
        return signer
    }

    private static func signedDate(of payload: [UInt8]) throws(SignedDataFault) -> Timestamp {
        var date: Timestamp?
        do throws(JSONFault) {
            var reader = JSONReader(payload, refusesDuplicates: false)
            try reader.readObject(SignedMember.table) { (member, reader) throws(JSONFault) in
                if member == nil { try reader.skipValue() } else { date = try reader.readAppleDate() }
            }
            try reader.readEnd()
        } catch {
            throw SignedDataFault(.payloadMalformed, "The payload cannot be read: \(error.detail)")
        }
        guard let date else { throw SignedDataFault(.payloadMalformed, "The payload has no signedDate.") }
        return date
    }
}

/// What every payload has that the App Store signs.
private enum SignedMember: String, CaseIterable {
    case signedDate

    static let table = JSONMembers(SignedMember.self)
}

extension SignedDataVerifier.Payload {
    func read<Members>(
        _ name: String,
        _ members: ([UInt8]) throws(JSONFault) -> Members
    ) throws(SignedDataFault) -> Members {
        do throws(JSONFault) {
            return try members(json)
        } catch {
            throw SignedDataFault(.payloadMalformed, "The \(name)'s \(error.pointer) cannot be read: \(error.detail)")
        }
    }
}

extension EvidenceFault {
    /// Signed data is not genuine, or another thing; `index` is its position in the member.
    init(_ fault: SignedDataFault, of text: String, in place: RecognisedContent.Place, index: Int) {
        self.init(
            .rejected,
            code: fault.code.rawValue,
            detail: RecognisedContent(text)?.detail(in: place) ?? fault.detail,
            member: place.rawValue,
            pointer: "/\(index)"
        )
    }
}
