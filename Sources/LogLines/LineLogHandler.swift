import FoundationEssentials
import Glibc
import Logging
import StrictJSON

/// A logger's handler that writes one line for each event.
struct LineLogHandler: LogHandler {
    private let label: String
    private let output: LogOutput
    private var ownLevel: Logger.Level?
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, output: LogOutput, metadataProvider: Logger.MetadataProvider?) {
        self.label = label
        self.output = output
        self.metadataProvider = metadataProvider
    }

    /// The logger's own level where it was given one, else that of the output at the moment.
    var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members = metadataProvider?.get() ?? [:]
        members.merge(metadata) { $1 }
        if let own = event.metadata { members.merge(own) { $1 } }
        if let error = event.error { members["error"] = "\(error)" }
        output.write(
            LogLine(
                time: Date.now,
                level: event.level,
                label: label,
                message: event.message.description,
                metadata: members.sorted { $0.key < $1.key }
            )
        )
    }
}

/// How log lines look.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Text where people read along, on a terminal; JSON elsewhere.
    case auto
    case json
    case text

    /// The format to write in, JSON or text.
    func resolved(for descriptor: Int32) -> LogFormat {
        guard self == .auto else { return self }
        return isatty(descriptor) == 1 ? .text : .json
    }
}

/// One event, and how it looks as a line.
struct LogLine {
    let time: Date
    let level: Logger.Level
    let label: String
    let message: String
    /// Its metadata, by name.
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
