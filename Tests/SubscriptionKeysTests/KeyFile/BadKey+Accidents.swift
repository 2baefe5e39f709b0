import Foundation
import SubscriptionKeys

extension BadKey {
    /// Good keys that something happened to on their way, each with a command that fixes it.
    static let accidents = [
        BadKey("DER", .der, says: "perhaps DER") { try TestKey().der },
        BadKey("line ends as backslashes", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n", with: #"\n"#) }
        },
        BadKey("Windows' line ends as backslashes", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n", with: #"\r\n"#) }
        },
        BadKey("line ends escaped twice", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n", with: #"\\n"#) }
        },
        BadKey("Windows' line ends escaped three times", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\n", with: #"\\\\r\\\\n"#) }
        },
        BadKey("a JSON string with its slashes escaped", .quoted, says: "quotation mark") {
            try text { "\"" + $0.replacing("/", with: #"\/"#).replacing("\n", with: #"\n"#) + "\"" }
        },
        BadKey("a backslash at one line end alone", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.replacing("\nM", with: "\nM").replacing("\n-----END", with: #"\n-----END"#) }
        },
        BadKey("quotation marks", .quoted, says: "quotation mark") { try text { "\"\($0)\"\n" } },
        BadKey("apostrophes", .quoted, says: "quotation mark") { try text { "'\($0)'" } },
        BadKey("a JSON string", .quoted, says: "quotation mark") {
            try text { "\"" + $0.replacing("\n", with: #"\n"#) + "\"" }
        },
        BadKey("a byte order mark", .byteOrderMark, says: "byte order mark") { try text { "\u{FEFF}" + $0 } },
        BadKey("a byte order mark and Windows' line ends", .byteOrderMark, says: "byte order mark") {
            try text { "\u{FEFF}" + $0.replacing("\n", with: "\r\n") }
        },
        BadKey("a byte order mark and quotation marks", .byteOrderMark, says: "byte order mark") {
            try text { "\u{FEFF}\"\($0)\"" }
        },
        BadKey("UTF-16", .utf16, says: "UTF-16") { try Array(text { $0 }.utf16(.littleEndian)) },
        BadKey("UTF-16, big-endian", .utf16, says: "UTF-16") { try Array(text { $0 }.utf16(.bigEndian)) },
        BadKey("Base64 of the file", .encodedTwice, says: "Base64 of a PEM file") {
            try Array(Data(TestKey().pem).base64EncodedString().utf8)
        },
        BadKey("Base64 of the file in lines", .encodedTwice, says: "Base64 of a PEM file") {
            try Array(Data(TestKey().pem).base64EncodedString(options: [.lineLength76Characters]).utf8)
        },
        BadKey("Base64 of the file in an environment file", .encodedTwice, says: "among other text") {
            try text { "A=1\nKEY=" + Data($0.utf8).base64EncodedString() + "\nB=2\n" }
        },
        BadKey("Base64 of the file in JSON", .encodedTwice, says: "among other text") {
            try text { #"{"id":"x","key":""# + Data($0.utf8).base64EncodedString() + #"","b":1}"# }
        },
        BadKey("a line of an environment file", .embedded, says: "environment file") {
            try text { #"KEY=""# + $0.replacing("\n", with: #"\n"#) + "\"\n" }
        },
        BadKey("an exported line among others, escaped twice", .embedded, says: "environment file") {
            try text { "A=1\nexport KEY='" + $0.replacing("\n", with: #"\\n"#) + "'\nB=2\n" }
        },
        BadKey("an environment file with the key in its lines", .embedded, says: "environment file") {
            try text { "A=1\nKEY=\"\($0)\"\nB=2\n" }
        },
        BadKey("an environment file with the key in one line", .embedded, says: "environment file") {
            try text { "KEY=\"" + $0.replacing("\n", with: "") + "\"\nB=2\n" }
        },
        BadKey("JSON with the key in it", .embedded, says: "is JSON with a key in it") {
            try text { #"{"key_id":"X","private_key":""# + $0.replacing("\n", with: #"\n"#) + #"","issuer":"y"}"# }
        },
        BadKey("JSON in lines", .embedded, says: "is JSON with a key in it") {
            try text { "{\n  \"private_key\": \"" + $0.replacing("\n", with: #"\n"#) + "\",\n  \"x\": 1\n}\n" }
        },
        BadKey("YAML with the key in it", .embedded, says: "before the key's BEGIN line") {
            try text { "key: |\n" + $0.split(separator: "\n").map { "  \($0)\n" }.joined() + "other: 1\n" }
        },
        BadKey("text before the key", .embedded, says: "before the key's BEGIN line") {
            try text { "Bag Attributes\n    localKeyID: 01\nKey Attributes: <No Attributes>\n" + $0 }
        },
        BadKey("rich text as TextEdit saves it", .richText, says: "rich text (RTF)") {
            try text {
                #"{\rtf1\ansi\ansicpg1252\cocoartf2761"# + "\n" + #"{\fonttbl\f0\fswiss Helvetica;}"# + "\n"
                    + #"\pard\tx720\pardirnatural\f0\fs24 \cf0 "# + $0.replacing("\n", with: "\\\n") + "}"
            }
        },
        BadKey("rich text as WordPad saves it", .richText, says: "rich text (RTF)") {
            try text {
                #"{\rtf1\ansi\deff0{\fonttbl{\f0\fnil Calibri;}}"# + "\r\n" + #"\pard\sa200\f0\fs22 "#
                    + $0.replacing("\n", with: "\\par\\fs22 \r\n") + "}\r\n\0"
            }
        },
        BadKey("no armour", .missingArmour, says: "without its lines BEGIN and END") {
            try Array(Data(TestKey().der).base64EncodedString().utf8)
        },
        BadKey("no armour, in lines", .missingArmour, says: "without its lines BEGIN and END") {
            try text { $0.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n") + "\n" }
        },
        BadKey("no BEGIN line", .missingArmour, says: "an END line, but no BEGIN line") {
            try text { $0.split(separator: "\n").dropFirst().joined(separator: "\n") }
        },
        BadKey("no armour, in lines of backslashes", .escapedLineEnds, says: #"line ends written as "\n""#) {
            try text { $0.split(separator: "\n").dropFirst().dropLast().joined(separator: #"\n"#) }
        },
    ]

    private static func text(_ change: (String) -> String) throws -> [UInt8] {
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
