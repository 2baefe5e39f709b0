/// The findings about a report.
///
/// This folder can be skipped: only the use case, the call and the command of diagnoses, and the adapters of its ports,
/// know of it.
package struct Diagnosis: Equatable, Sendable {
    /// Whether the signature is right for what StoreKit was given with it, as far as can be computed.
    package let isValid: Bool
    /// The causes, most likely first; empty when nothing is wrong and no error was reported.
    package let causes: [DiagnosisCause]
}

/// One cause of a refusal, in words for people.
package struct DiagnosisCause: Equatable, Sendable {
    package let code: DiagnosisCode
    /// The value that was seen, and the one that was to be there.
    package let detail: String
    /// The fix in one sentence.
    package let fix: String

    init(_ code: DiagnosisCode, _ detail: String, fix: String? = nil) {
        self.code = code
        self.detail = detail
        self.fix = fix ?? code.fix
    }
}

extension Diagnosis {
    /// Not valid, for causes in any order.
    init(invalid causes: [DiagnosisCause]) {
        self.init(isValid: false, causes: causes.likeliestFirst)
    }
}

extension [DiagnosisCause] {
    /// Adds a cause for each detail that there is; the fix is the code's, where no other one is given.
    mutating func add(_ code: DiagnosisCode, _ details: String?..., fix: String? = nil) {
        self += details.compactMap { $0.map { DiagnosisCause(code, $0, fix: fix) } }
    }

    /// The causes, each once, in the order of their codes: most likely first.
    fileprivate var likeliestFirst: [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        for code in DiagnosisCode.allCases {
            for cause in self where cause.code == code && !causes.contains(cause) { causes.append(cause) }
        }
        return causes
    }
}

/// An app of the catalog, with the public halves of its keys.
package struct DiagnosableApp: Sendable {
    package let app: App
    let verifiers: [any SignatureVerifier]
    /// By the key's identifier, where the catalog names one.
    let issuerIds: [String: String]

    package init(app: App, verifiers: [any SignatureVerifier], issuerIds: [String: String] = [:]) {
        self.app = app
        self.verifiers = verifiers
        self.issuerIds = issuerIds
    }
}

/// The public half of one of an app's keys: the port by which a report's signature is verified.
///
/// The signature is a stranger's bytes, so implementations use memory-safe code, never OpenSSL.
package protocol SignatureVerifier: Sendable {
    var keyIdentifier: String { get }

    /// Whether a signature over a whole message, not yet hashed, is by this key; `false` as well for what is no signature.
    func isSignature(_ signature: SignatureText.Form, over message: [UInt8], hashedBy hash: SignedHash) -> Bool
}

/// How a message was hashed before it was signed: rightly, or as backends do by mistake, the likeliest first.
package enum SignedHash: String, CaseIterable, Sendable {
    /// The digest that Apple asks for.
    case sha256 = "SHA-256"
    /// The SHA-256 of the SHA-256: a digest was handed to a function that hashes by itself.
    case sha256Twice = "SHA-256 twice"
    case sha512 = "SHA-512"
    case sha1 = "SHA-1"
    case sha384 = "SHA-384"
    /// The SHA-256 of the SHA-256's hexadecimal text.
    case sha256OfHexadecimal = "SHA-256 of the SHA-256 in hexadecimal"
    case sha3 = "SHA3-256"
    case md5 = "MD5"
}
