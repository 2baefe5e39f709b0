import Foundation
import SubscriptionKeys

extension BadKey {
    /// Every kind of file that somebody might mistake for a key.
    static let all = files + accidents + foreign + pemBlocks + otherKeys + damaged

    private static let files = [
        BadKey("empty", .empty, says: "is empty") { [] },
        BadKey("blank lines", .empty, says: "only blank lines") { Array("\r\n \n\t\n".utf8) },
        BadKey("16 KiB and a byte", .tooLarge, says: "has 16385 bytes") {
            let pem = try TestKey().pem
            return pem + [UInt8](repeating: UInt8(ascii: "\n"), count: 16_385 - pem.count)
        },
        BadKey("text", .notPEM, says: "no BEGIN line") { Array("secret: hunter2\n".utf8) },
        BadKey("text after the key", .trailingData, says: "after the key's END line") {
            try TestKey().pem + Array("x\n".utf8)
        },
        BadKey("two keys", .trailingData, says: "after the key's END line") { try TestKey().pem + TestKey().pem },
    ]

    private static let pemBlocks = [
        BadKey("certificate", .otherPEM, says: "named CERTIFICATE") { try certificate() },
        BadKey("public key", .otherPEM, says: "named PUBLIC KEY") { try converted("pkey", "-pubout", "-in") },
        BadKey("encrypted", .encryptedPrivateKey, says: "openssl pkcs8 -topk8 -nocrypt -in") {
            try Self.converted("pkcs8", "-topk8", "-passout", "pass:demo", "-in")
        },
        BadKey("RSA as PKCS#1", .otherPEM, says: "named RSA PRIVATE KEY") {
            try Tool.openssl("genrsa", "-traditional", "1024")
        },
        BadKey("another label", .otherPEM, says: "named X509 CRL") { DER.pem([1, 2, 3], label: "X509 CRL") },
        BadKey("a label with small letters", .notPEM, says: "damaged BEGIN line") {
            DER.pem([1, 2, 3], label: "Private Key")
        },
    ]

    private static func certificate() throws -> [UInt8] {
        try converted("req", "-x509", "-new", "-subj", "/CN=test", "-config", "/dev/null", "-key")
    }

    private static let otherKeys = [
        BadKey("RSA", .otherAlgorithm, says: "another algorithm") { try made("RSA", "rsa_keygen_bits:2048") },
        BadKey("P-384", .otherCurve, says: "another curve") { try made("EC", "ec_paramgen_curve:P-384") },
        BadKey("secp256k1", .otherCurve, says: "another curve") { try made("EC", "ec_paramgen_curve:secp256k1") },
        BadKey("Ed25519", .otherAlgorithm, says: "another algorithm") { try made("ED25519") },
        BadKey("DH", .otherAlgorithm, says: "another algorithm") { try made("DH", "group:ffdhe2048") },
    ]

    /// A key of another kind, with options of `openssl genpkey`.
    private static func made(_ algorithm: String, _ options: String...) throws -> [UInt8] {
        try Tool.openssl(["genpkey", "-algorithm", algorithm] + options.flatMap { ["-pkeyopt", $0] })
    }

    /// What `openssl` makes of a fresh key, whose file comes last.
    static func converted(_ arguments: String...) throws -> [UInt8] {
        let workbench = try Workbench()
        let path = try TestKey().write(on: workbench)
        return try withExtendedLifetime(workbench) { try Tool.openssl(arguments + [path]) }
    }
}
