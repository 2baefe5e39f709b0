import Foundation
import SubscriptionKeys

extension BadKey {
    /// Good keys in a form of another tool, or that something happened to on their way; each text has the way back.
    static let accidents = [
        BadKey("DER", .notPEM, says: "is DER") { try TestKey().der },
        BadKey("DER that ends in a byte like a line feed", .notPEM, says: "is DER") {
            // The last byte is that of the scalar.
            let scalar = try Array(TestKey().scalar.dropLast()) + [0x0A]
            return DER.pkcs8(scalar: scalar, point: nil)
        },
        BadKey("SEC 1 in DER", .notPEM, says: "is DER") { try converted("ec", "-outform", "der", "-in") },
        BadKey("SEC 1", .sec1PrivateKey, says: "SEC 1 (EC PRIVATE KEY)") { try converted("ec", "-in") },
        BadKey("SEC 1 with parameters", .sec1PrivateKey, says: "SEC 1 (EC PARAMETERS)") {
            try Tool.openssl("ecparam", "-name", "prime256v1", "-genkey")
        },
        BadKey("curve by its numbers", .explicitParameters, says: "explicit parameters") {
            let options = ["-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"]
            return try Tool.openssl(["genpkey", "-algorithm", "EC"] + options)
        },
        BadKey("PKCS#12", .notPEM, says: "is PKCS#12") { try pkcs12() },
        BadKey("Bag Attributes", .notPEM, says: "has Bag Attributes") {
            let workbench = try Workbench()
            let file = try workbench.write(pkcs12(), to: "key.p12")
            return try Tool.openssl("pkcs12", "-in", file, "-nocerts", "-noenc", "-passin", "pass:")
        },
        BadKey("line ends as backslashes", .notPEM, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n", with: #"\n"#) }
        },
        BadKey("a backslash at one line end alone", .notPEM, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n-----END", with: #"\n-----END"#) }
        },
        BadKey("quotation marks", .notPEM, says: "quotation mark") { try text { "\"\($0)\"\n" } },
        BadKey("apostrophes", .notPEM, says: "quotation mark") { try text { "'\($0)'" } },
        BadKey("a byte order mark", .notPEM, says: "byte order mark") { try text { "\u{FEFF}" + $0 } },
        BadKey("UTF-16", .notPEM, says: "UTF-16") { try Array(text { $0 }.utf16(.littleEndian)) },
        BadKey("UTF-16, big-endian", .notPEM, says: "UTF-16") { try Array(text { $0 }.utf16(.bigEndian)) },
        BadKey("Base64 of the file", .notPEM, says: "Base64 of a PEM file") {
            try Array(Data(TestKey().pem).base64EncodedString().utf8)
        },
        BadKey("Base64 without the lines", .notPEM, says: "without the lines BEGIN and END") {
            try Array(Data(TestKey().der).base64EncodedString().utf8)
        },
        BadKey("a line of an environment file", .notPEM, says: "a file of variables, and has something before") {
            try text { #"KEY=""# + $0.replacing("\n", with: #"\n"#) + "\"\n" }
        },
        BadKey("JSON with the key in it", .notPEM, says: "is JSON with a key in it") {
            try text {
                #"{"key_id":"X","private_key":""# + $0.replacing("\n", with: #"\n"#).replacing("/", with: #"\/"#)
                    + #"","issuer":"57246542-96fe"}"#
            }
        },
        BadKey("YAML with the key in it", .notPEM, says: "is YAML with a key in it") {
            try text { "id: X\nkey: |\n" + $0.split(separator: "\n").map { "  \($0)\n" }.joined() + "next: y\n" }
        },
        BadKey("YAML with the key in quotation marks", .notPEM, says: "is YAML with a key in it") {
            try text { #"key: ""# + $0.replacing("\n", with: #"\n"#) + "\"\n" }
        },
        BadKey("text before the key", .notPEM, says: "has something before the key's BEGIN line") {
            try text { "Public Key Info:\n\tKey: EC\n\n" + $0 }
        },
    ]

    /// Files that no command here makes a key of.
    static let foreign = [
        BadKey("JWK", .notPEM, says: "have the tool that wrote it export PKCS#8") {
            Array(#"{"kty":"EC","crv":"P-256","d":"AAAA"}"#.utf8)
        },
        BadKey("JKS", .notPEM, says: "keytool -importkeystore") { [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2] },
    ]

    /// As `openssl pkcs12` writes it, with an empty password.
    private static func pkcs12() throws -> [UInt8] {
        let workbench = try Workbench()
        let key = try TestKey().write(on: workbench)
        let arguments = ["pkcs12", "-export", "-nocerts", "-inkey", key, "-passout", "pass:", "-out"]
        _ = try Tool.openssl(arguments + [workbench.path("key.p12")])
        return try [UInt8](Data(contentsOf: URL(filePath: workbench.path("key.p12"))))
    }

    static func text(_ change: (String) -> String) throws -> [UInt8] {
        Array(change(String(decoding: try TestKey().pem, as: UTF8.self)).utf8)
    }
}

extension [UInt8] {
    fileprivate enum ByteOrder {
        case littleEndian
        case bigEndian
    }

    /// ASCII as UTF-16, with the mark that says which byte comes first.
    fileprivate func utf16(_ order: ByteOrder) -> [UInt8] {
        switch order {
        case .littleEndian: [0xFF, 0xFE] + flatMap { [$0, 0] }
        case .bigEndian: [0xFE, 0xFF] + flatMap { [0, $0] }
        }
    }
}
