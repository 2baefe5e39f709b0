import Foundation
import SubscriptionKeys

extension BadKey {
    /// Good keys that something happened to on their way.
    static let accidents = [
        BadKey("DER", .notPEM, says: "perhaps DER") { try TestKey().der },
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
        BadKey("a line of an environment file", .notPEM, says: "before the key's BEGIN line") {
            try text { #"KEY=""# + $0.replacing("\n", with: #"\n"#) + "\"\n" }
        },
        BadKey("JSON with the key in it", .notPEM, says: "before the key's BEGIN line") {
            try text { #"{"key_id":"X","private_key":""# + $0.replacing("\n", with: #"\n"#) + #"","issuer":"y"}"# }
        },
        BadKey("no BEGIN line", .notPEM, says: "no BEGIN line") {
            try text { $0.split(separator: "\n").dropFirst().joined(separator: "\n") }
        },
    ]

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
