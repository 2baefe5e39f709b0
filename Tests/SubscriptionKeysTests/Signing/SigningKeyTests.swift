import Foundation
import SubscriptionKeys
import Testing

/// Good keys in all their shapes, and signatures that others verify.
struct SigningKeyTests {
    private let workbench: Workbench
    private let key: TestKey

    init() throws {
        workbench = try Workbench()
        key = try TestKey()
    }

    /// What surrounds and divides the Base64 of a key that is still fine.
    enum Form: String, CaseIterable {
        case openssl, apple, withoutPoint, carriageReturns, carriageReturnsAlone, noLineEnds, spaces, noFinalNewline
        case blankLinesAround, longLine, indented, secondVersion, pointOutside, scalarOf33, compressed

        func bytes(of key: TestKey) -> [UInt8] {
            let text = String(decoding: key.pem, as: UTF8.self)
            return switch self {
            case .openssl: key.pem
            case .apple: DER.pem(DER.pkcs8(scalar: key.scalar, point: key.point, parameters: true))
            case .withoutPoint: DER.pem(DER.pkcs8(scalar: key.scalar, point: nil))
            case .carriageReturns: DER.pem(key.der, lineEnd: "\r\n")
            case .carriageReturnsAlone: DER.pem(key.der, lineEnd: "\r")
            case .noLineEnds: DER.pem(key.der, lineEnd: "")
            case .spaces: DER.pem(key.der, lineEnd: " ")
            case .noFinalNewline: key.pem.dropLast()
            case .blankLinesAround: Array("\n\r\n  \n\(text)\n\n \t\n".utf8)
            case .longLine:
                Array(
                    "-----BEGIN PRIVATE KEY-----\n\(Data(key.der).base64EncodedString())\n-----END PRIVATE KEY-----"
                        .utf8
                )
            // As python-ecdsa, RFC 5958, GnuTLS and OpenSSL (ec_conv_form:compressed) write it.
            case .secondVersion: DER.pem(DER.pkcs8(scalar: key.scalar, point: key.point, version: 1))
            case .pointOutside:
                DER.pem(DER.pkcs8(scalar: key.scalar, point: nil, version: 1, outerPoint: key.point))
            case .scalarOf33: DER.pem(DER.pkcs8(scalar: [0] + key.scalar, point: key.point))
            case .compressed:
                DER.pem(DER.pkcs8(scalar: key.scalar, point: [2 | key.point[64] & 1] + key.point[1...32]))
            case .indented: Array(text.split(separator: "\n").map { "  \($0) \n" }.joined().utf8)
            }
        }
    }

    @Test("Every form of the same key signs, and has the public key that openssl shows", arguments: Form.allCases)
    func forms(form: Form) throws {
        let signer = try workbench.load(form.bytes(of: key))
        let message = Array("com.example.app\u{2063}\(form)".utf8)
        #expect(try workbench.opensslVerifies(signer.derSignature(over: message.span), over: message, by: key))

        let path = try key.write(on: workbench)
        let spki = try Tool.openssl("pkey", "-in", path, "-pubout", "-outform", "DER")
        #expect(signer.publicKeySPKI == spki)
        let digest = try Tool.run("sha256sum", [workbench.write(spki, to: "key.spki")]).text.prefix(64)
        #expect(signer.publicKeySHA256.map { String(format: "%02x", $0) }.joined() == digest)
        #expect(signer.keyIdentifier == "TEST123456")
        #expect(signer.fileMode == 0o600)
    }

    @Test("Zeros in front of the scalar may be left out, down to one byte", arguments: [1, 2, 31])
    func shortScalar(count: Int) throws {
        let digits = [UInt8](repeating: 7, count: count)
        let whole = DER.pkcs8(scalar: [UInt8](repeating: 0, count: 32 - count) + digits, point: nil)
        let path = try workbench.write(DER.pem(whole), to: "whole.p8")
        let known = try Tool.openssl("pkey", "-in", path, "-pubout", "-outform", "DER")
        #expect(try workbench.load(DER.pem(DER.pkcs8(scalar: digits, point: nil))).publicKeySPKI == known)
    }

    @Test("The scalars at both ends of the range are keys", arguments: [false, true])
    func extremes(isLast: Bool) throws {
        // n - 1 has the same x as 1, and the other y.
        let hexadecimal = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632550"
        let last = stride(from: 0, to: 64, by: 2).map { offset in
            UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        let scalar = isLast ? last : [UInt8](repeating: 0, count: 31) + [1]
        let bytes = DER.pem(DER.pkcs8(scalar: scalar, point: nil))
        let signer = try workbench.load(bytes)
        let spki = try Tool.openssl("pkey", "-in", workbench.write(bytes), "-pubout", "-outform", "DER")
        #expect(signer.publicKeySPKI == spki)
    }

    @Test("Messages of all lengths verify", arguments: [0, 1, 31, 32, 55, 56, 64, 65, 1000, 100_000])
    func lengths(length: Int) throws {
        let signer = try workbench.load(key.pem)
        let message = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
        // The second signature uses the context of the first again.
        for _ in 0..<2 {
            #expect(try workbench.opensslVerifies(signer.derSignature(over: message.span), over: message, by: key))
        }
    }

    @Test("A signature is of its message and its key alone")
    func judge() throws {
        let signer = try workbench.load(key.pem)
        let message = Array("message".utf8)
        let signature = try signer.derSignature(over: message.span)
        #expect(try !workbench.opensslVerifies(signature, over: message + [0], by: key))
        #expect(try !workbench.opensslVerifies(signature, over: message, by: TestKey()))
    }

    @Test("Eight threads sign at once: every signature verifies, no nonce comes twice")
    func concurrency() throws {
        let signer = try workbench.load(key.pem)
        let perThread = 40
        let signatures = Signatures()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for count in 0..<perThread {
                let message = Array("thread \(thread), message \(count)".utf8)
                signatures.add(try? signer.derSignature(over: message.span), over: message)
            }
        }
        #expect(signatures.all.count == 8 * perThread)
        // The first INTEGER of a signature is made from the nonce alone.
        #expect(Set(signatures.all.map { $0.signature.dropFirst(4).prefix(32) }).count == 8 * perThread)
        for (message, signature) in signatures.all {
            #expect(try workbench.opensslVerifies(signature, over: message, by: key))
        }
    }
}
