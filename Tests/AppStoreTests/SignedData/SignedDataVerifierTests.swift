import Foundation
import Offers
import SignedDataFixtures
import Testing

@testable import AppStore

@Suite("Telling the App Store's signed data from forgeries")
struct SignedDataVerifierTests {
    private static let payload = #"{"signedDate":1795262400000,"bundleId":"com.example.reader"}"#
    private let authority: TestAuthority
    private let verifier: SignedDataVerifier

    init() throws {
        authority = try TestAuthority()
        verifier = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
    }

    private func fault(of jws: String, _ verifier: SignedDataVerifier? = nil) -> SignedDataFault.Code? {
        refusal(of: jws, verifier)?.code
    }

    private func refusal(of jws: String, _ verifier: SignedDataVerifier? = nil) -> SignedDataFault? {
        do throws(SignedDataFault) {
            _ = try (verifier ?? self.verifier).payload(of: jws)
            return nil
        } catch {
            return error
        }
    }

    /// What a verifier that trusts a flawed authority says of its signer.
    private func refusal(with flaw: TestAuthority.Flaw) throws -> SignedDataFault? {
        let authority = try TestAuthority(flaw)
        let verifier = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
        return refusal(of: try authority.signer().sign(Self.payload), verifier)
    }

    @Test("Apple's root is the one whose SHA-256 Apple publishes")
    func pinnedRoot() throws {
        let der = try #require(Base64.decode(AppleRootCA.g3Base64))
        #expect(sha256(der) == AppleRootCA.g3SHA256)
        #expect(TrustedRoot.appleRootCAG3 != nil)
    }

    @Test("A signature under a trusted root is taken, from DER and from PEM")
    func genuine() throws {
        let jws = try authority.signer().sign(Self.payload)
        let payload = try verifier.payload(of: jws)
        #expect(payload.json == Array(Self.payload.utf8))
        #expect(payload.signedDate.millisecondsSince1970 == 1_795_262_400_000)
        #expect(!payload.isLocallySigned)
        let pem = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: Array(authority.rootPEM.utf8))])
        #expect(fault(of: jws, pem) == nil)
    }

    @Test("A file of roots may have lines of any length, blanks, other text, and several certificates")
    func forms() throws {
        let jws = try authority.signer().sign(Self.payload)
        let (pem, other) = try (authority.rootPEM, TestAuthority().rootPEM)
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        func block(_ lines: some Sequence<String>) -> String {
            "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n-----END CERTIFICATE-----\n"
        }
        let wide = stride(from: 0, to: base64.count, by: 76).map { String(base64.dropFirst($0).prefix(76)) }
        for (text, count) in [
            (block([base64]), 1), (block(wide), 1), (block(wide.map { "  \($0) \r" }), 1),
            ("\n\nroot of a test\n" + other + "\n \n" + pem, 2),
        ] {
            let roots = try TrustedRoot.roots(in: Array(text.utf8))
            #expect(roots.count == count)
            #expect(fault(of: jws, SignedDataVerifier(additionalRoots: roots)) == nil)
        }
        for text in ["", "\(base64)\n", block([]), block([String(base64.dropLast(4))]), String(pem.dropLast(30))] {
            #expect(throws: SignedDataFault.self) { try TrustedRoot.roots(in: Array(text.utf8)) }
        }
    }

    @Test("A JWS that brings its own untrusted root is not genuine")
    func otherRoot() throws {
        let jws = try authority.signer().sign(Self.payload)
        #expect(fault(of: jws, SignedDataVerifier()) == .untrustedRoot)
        #expect(fault(of: try TestAuthority().signer().sign(Self.payload)) == .untrustedRoot)
    }

    @Test(
        "A certificate that lacks Apple's mark, or may not stand where it stands, is refused",
        arguments: [
            (TestAuthority.Flaw.signerWithoutPurpose, SignedDataFault.Code.certificatePurpose),
            (.intermediateWithoutPurpose, .certificatePurpose),
            (.intermediateIsNoAuthority, .chainBroken),
            (.intermediateMayNotCertify, .chainBroken),
            (.intermediateWithUnknownCriticalExtension, .chainBroken),
            (.unknownCriticalExtension, .chainBroken),
            (.signerIsAuthority, .chainBroken),
            (.issuedByAnother, .chainBroken),
            (.issuerOfAnotherName, .chainBroken),
        ]
    )
    func flaws(flaw: TestAuthority.Flaw, code: SignedDataFault.Code) throws {
        #expect(try refusal(with: flaw)?.code == code)
    }

    @Test(
        "Of a certificate that may not be used it is said which one it is, and why",
        arguments: [
            (
                TestAuthority.Flaw.intermediateWithoutKeyUsage, "second",
                "it has no keyUsage, and needs one with keyCertSign"
            ),
            (.intermediateMayNotCertify, "second", "its keyUsage lacks keyCertSign"),
            (.intermediateIsNoAuthority, "second", "its basicConstraints do not say CA:TRUE"),
            (
                .intermediateWithUnknownCriticalExtension, "second",
                "its extension 1.2.3.4 is critical, and not known here"
            ),
            (.unknownCriticalExtension, "first", "its extension 1.2.3.4 is critical, and not known here"),
            (.signerIsAuthority, "first", "it is one that issues others"),
        ]
    )
    func flawNamed(flaw: TestAuthority.Flaw, which: String, why: String) throws {
        let fault = try refusal(with: flaw)
        #expect(fault?.code == .chainBroken)
        #expect(fault?.detail.hasPrefix("The \(which) certificate may not ") == true)
        #expect(fault?.detail.hasSuffix(": \(why).") == true, "\(fault?.detail ?? "")")
    }

    @Test("Exactly three certificates", arguments: [0, 1, 2, 4])
    func chainLength(count: Int) throws {
        var signer = try authority.signer()
        signer.certificates = (0..<count).map { signer.certificates[min($0, 2)] }
        #expect(fault(of: try signer.sign(Self.payload)) == .chainLength)
    }

    @Test("The third certificate is no reason for trust, and none for doubt")
    func thirdCertificate() throws {
        var signer = try authority.signer()
        signer.certificates[2] = try TestAuthority().rootDER
        #expect(fault(of: try signer.sign(Self.payload)) == nil)
        var stranger = try TestAuthority().signer()
        stranger.certificates[2] = try authority.rootDER
        #expect(fault(of: try stranger.sign(Self.payload)) == .untrustedRoot)
    }

    @Test(
        "The chain is valid when the data was signed, to the last second; whether it still is does not count",
        arguments: [
            (1_600_000_000_000, nil), (1_700_000_000_999, nil),
            (1_599_999_999_999, .chainExpired), (1_700_000_001_000, .chainExpired),
        ] as [(Int64, SignedDataFault.Code?)]
    )
    func validity(signedDate: Int64, code: SignedDataFault.Code?) throws {
        let signer = try authority.signer(
            from: Date(timeIntervalSince1970: 1_600_000_000),
            to: Date(timeIntervalSince1970: 1_700_000_000)
        )
        #expect(fault(of: try signer.sign(#"{"signedDate":\#(signedDate)}"#)) == code)
        // The second time the chain is known, and its dates are looked at all the same.
        #expect(fault(of: try signer.sign(#"{"signedDate":\#(signedDate)}"#)) == code)
    }

    @Test("No algorithm but ES256", arguments: ["none", "HS256", "ES384", "es256", ""])
    func algorithm(name: String) throws {
        var signer = try authority.signer()
        signer.algorithm = name
        #expect(fault(of: try signer.sign(Self.payload)) == .algorithm)
    }

    @Test("A header whose reader would have to know more (crit) is refused, though its signature is right")
    func criticalMembers() throws {
        var signer = try authority.signer()
        signer.otherMembers = #","typ":"JWT""#
        #expect(fault(of: try signer.sign(Self.payload)) == nil)
        signer.otherMembers = #","crit":["b64"],"b64":false"#
        #expect(fault(of: try signer.sign(Self.payload)) == .malformed)
    }

    @Test("A changed payload and another key's signature are refused, also of a signer that is known")
    func signature() throws {
        let signer = try authority.signer()
        let genuine = try signer.sign(Self.payload)
        for _ in 0..<2 {
            let other = try signer.sign(#"{"signedDate":1795262400000,"bundleId":"com.example.other"}"#)
            var parts = genuine.split(separator: ".")
            parts[1] = other.split(separator: ".")[1]
            #expect(fault(of: parts.joined(separator: ".")) == .signatureInvalid)
            var byAnother = try authority.signer()
            byAnother.certificates = signer.certificates
            #expect(fault(of: try byAnother.sign(Self.payload)) == .signatureInvalid)
            #expect(fault(of: genuine) == nil)
        }
    }

    @Test(
        "Garbage is refused with a reason",
        arguments: ["", ".", "..", "a.b", "a.b.c.d", "!.!.!", "e30.e30.e30", "W10.e30.AAAA", "eyJ9.e30.AA=="]
    )
    func garbage(text: String) {
        #expect([.malformed, .algorithm].contains(fault(of: text)))
    }

    @Test(
        "What was put around or into a JWS is named, and the rest of it is not",
        arguments: [
            ("\n", "a line break"), ("\r\n", "a line break"), (" ", "a blank"), ("\"", "a quotation mark"),
            ("==", "padding (=)"), ("\"\n", "a line break and a quotation mark"),
            ("\u{FEFF}", "the character U+FEFF"), ("\u{A0}", "the character U+00A0"), ("\\n", "a backslash"),
        ]
    )
    func around(text: String, named: String) throws {
        let jws = try authority.signer().sign(Self.payload)
        let first = jws.split(separator: ".")[0]
        for changed in [jws + text, text + jws, jws.replacing(first, with: "\(first)\(text)")] {
            let fault = refusal(of: changed)
            #expect(fault?.code == .malformed)
            #expect(
                fault?.detail.hasPrefix("The JWS has \(named): send it as it came") == true,
                "\(fault?.detail ?? "")"
            )
        }
        #expect(refusal(of: "a.b")?.detail == "A compact JWS has three parts with dots between them.")
    }

    @Test("Certificates that are none, and a JWS that is too long, are refused")
    func certificates() throws {
        var signer = try authority.signer()
        signer.certificates[1] = Array(signer.certificates[1].dropLast())
        #expect(fault(of: try signer.sign(Self.payload)) == .certificateMalformed)
        let long = #"{"signedDate":1795262400000,"x":"\#(String(repeating: "x", count: 131_072))"}"#
        #expect(fault(of: try authority.signer().sign(long)) == .malformed)
    }

    @Test("A payload without a date is of no use", arguments: [#"{}"#, "[]", "x", #"{"signedDate":"soon"}"#])
    func payload(text: String) throws {
        #expect(fault(of: try authority.signer().sign(text)) == .payloadMalformed)
    }

    @Test("One certificate is enough only where the operator trusts that very certificate")
    func locallySigned() throws {
        let signer = try TestAuthority.selfSigned()
        let jws = try signer.sign(Self.payload)
        #expect(fault(of: jws) == .chainLength)
        let trusting = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: signer.certificates[0])])
        #expect(try trusting.payload(of: jws).isLocallySigned)
        #expect(fault(of: try TestAuthority.selfSigned().sign(Self.payload), trusting) == .chainLength)
    }

    @Test("A signer's chain is verified once, and a forger's is never kept")
    func cache() throws {
        let signer = try authority.signer()
        for second in 0..<5 {
            #expect(fault(of: try signer.sign(#"{"signedDate":\#(1_795_262_400_000 + second)}"#)) == nil)
        }
        #expect(verifier.cache.verifications == 1)
        _ = fault(of: try TestAuthority().signer().sign(Self.payload))
        #expect(verifier.cache.verifications == 1)
        // However many signers there are, the cache stays small and right.
        for _ in 0..<SignerCache.capacity { #expect(fault(of: try authority.signer().sign(Self.payload)) == nil) }
        #expect(verifier.cache.verifications == 1 + SignerCache.capacity)
        #expect(fault(of: try signer.sign(Self.payload)) == nil)
    }

    @Test("A JWS is verified once; one with another signature, payload or header is another one")
    func verifiedOnce() throws {
        let signer = try authority.signer()
        let jws = try signer.sign(Self.payload)
        for _ in 0..<3 { #expect(try verifier.payload(of: jws).json == Array(Self.payload.utf8)) }
        #expect(verifier.genuine.verifications == 1)
        let parts = jws.split(separator: ".").map(String.init)
        let other = try signer.sign(#"{"signedDate":1795262400001}"#).split(separator: ".").map(String.init)
        #expect(fault(of: [parts[0], parts[1], other[2]].joined(separator: ".")) == .signatureInvalid)
        #expect(fault(of: [parts[0], other[1], parts[2]].joined(separator: ".")) == .signatureInvalid)
        let stranger = try authority.signer().sign(Self.payload).split(separator: ".").map(String.init)
        #expect(fault(of: [stranger[0], parts[1], parts[2]].joined(separator: ".")) == .signatureInvalid)
        #expect(verifier.genuine.verifications == 1)
        // Who trusts other roots does not know it.
        #expect(fault(of: jws, SignedDataVerifier()) == .untrustedRoot)
    }

    @Test("Forged headers around a genuine chain are not kept, and displace no other entry")
    func cacheOfStrangers() throws {
        let signer = try authority.signer()
        let genuine = try signer.sign(Self.payload)
        #expect(fault(of: genuine) == nil)
        let parts = genuine.split(separator: ".")
        let header = String(decoding: try #require(Base64URL.decode(parts[0].utf8)), as: UTF8.self)
        for number in 0...SignerCache.capacity {
            let forged = Data("{\"n\":\(number),\(header.dropFirst())".utf8).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(fault(of: "\(forged).\(parts[1]).\(parts[2])") == .signatureInvalid)
        }
        let verifications = verifier.cache.verifications
        #expect(fault(of: genuine) == nil)
        #expect(verifier.cache.verifications == verifications, "the signer is known as before")
    }
}
