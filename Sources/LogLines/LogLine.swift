import FoundationEssentials
import Logging
import StrictJSON

/// One event, and how it looks as a line.
struct LogLine {
    /// When it happened.
    let time: Date
    /// How grave it is.
    let level: Logger.Level
    /// Whose logger it is.
    let label: String
    /// What happened.
    let message: String
    /// What is known of it, by name.
    let metadata: [(key: String, value: Logger.MetadataValue)]

    private static let reserved: Set<String> = ["time", "level", "logger", "message"]

    /// The line as one JSON object: `time` (RFC 3339, UTC), `level`, `logger`, `message`, and what is known of it beside
    /// them; a name that would be there twice begins with `metadata.`.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { line in
            line.member("time", timestamp)
            line.member("level", level.rawValue)
            line.member("logger", label)
            line.member("message", message)
            for (key, value) in metadata {
                line.member(named: Self.reserved.contains(key) ? "metadata.\(key)" : key)
                line.value(value)
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The line as text: time, level, logger, message, and what is known of it as `name=value`.
    var text: [UInt8] {
        var line = "\(timestamp) \(level.rawValue) \(label): \(Self.visible(message))"
        for (key, value) in metadata { line += " \(Self.visible(key))=\(Self.quoted("\(value)"))" }
        return Array(line.utf8) + [UInt8(ascii: "\n")]
    }

    private var timestamp: String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 > " " && $0 != "\"" && $0 != "=" }
        return isPlain ? visible(text) : "\"" + visible(text.replacing("\"", with: "\\\"")) + "\""
    }

    /// The text without what would begin a new line or move a terminal's cursor.
    private static func visible(_ text: String) -> String {
        var visible = ""
        for character in text.unicodeScalars {
            switch character.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                visible += "\\u{\(String(character.value, radix: 16))}"
            default: visible.unicodeScalars.append(character)
            }
        }
        return visible
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): string(text)
        case .stringConvertible(let whole as Int64): number(whole)
        case .stringConvertible(let whole as Int): number(Int64(whole))
        case .stringConvertible(let other): string(other.description)
        case .array(let elements):
            array { list in
                for element in elements { list.value(element) }
            }
        case .dictionary(let members):
            object { object in
                for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                    object.member(named: key)
                    object.value(value)
                }
            }
        }
    }
}
