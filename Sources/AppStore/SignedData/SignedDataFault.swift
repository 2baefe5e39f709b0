import EvidenceRecognition
import Offers

/// Why signed data is not taken for the App Store's.
public struct SignedDataFault: Error, Equatable {
    /// The kind of fault; the raw values name it in answers.
    public enum Code: String, CaseIterable, Sendable {
        /// It is no compact JWS.
        case malformed = "jws_malformed"
        /// It is not signed with ES256.
        case algorithm = "jws_algorithm"
        /// `x5c` has not exactly three certificates.
        case chainLength = "jws_chain_length"
        /// A certificate cannot be read.
        case certificateMalformed = "jws_certificate_malformed"
        /// A certificate lacks the extension by which Apple marks what it is for.
        case certificatePurpose = "jws_certificate_purpose"
        /// The certificates do not certify each other.
        case chainBroken = "jws_chain_broken"
        /// The chain ends at a root that is not trusted.
        case untrustedRoot = "jws_untrusted_root"
        /// A certificate was not valid when the data was signed.
        case chainExpired = "jws_chain_expired"
        /// The signature is not the certificate's over this payload: another key made it, or the payload was changed.
        case signatureInvalid = "jws_signature_invalid"
        /// The payload is signed, but not what it should be.
        case payloadMalformed = "jws_payload_malformed"
        /// What was sent together does not belong together.
        case mixed = "jws_mixed"
        /// It is for an app or environment that is not in the catalog.
        case otherApp = "app_not_in_catalog"
    }

    /// The kind of fault.
    public let code: Code
    /// The fault in a sentence.
    public let detail: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - detail: The fault in a sentence.
    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension EvidenceFault {
    /// Signed data is not genuine, or another thing.
    ///
    /// - Parameters:
    ///   - fault: What was found.
    ///   - text: What was sent.
    ///   - place: The member of `evidence` that holds it.
    ///   - index: Its position there.
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
