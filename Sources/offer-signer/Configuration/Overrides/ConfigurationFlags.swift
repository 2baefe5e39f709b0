import ArgumentParser
import StrictJSON

/// The flags that override values of `offer-signer.yaml`, for every command that reads it: one for each setting.
///
/// ArgumentParser finds options by reflection and decodes them by name, so the type reflects and decodes the table.
struct ConfigurationFlags: ParsableArguments, CustomReflectable {
    private let options: [(name: String, option: Option<String?>)]

    init() {
        options = SettingTable.scalars.map { entry in
            let help = ArgumentHelp("Overrides \(entry.help).", valueName: entry.kind.placeholder)
            return (entry.flagName, Option(name: .customLong(entry.flagName), help: help))
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        options = try SettingTable.scalars.map { entry in
            let name = entry.flagName
            return (name, try container.decode(Option<String?>.self, forKey: Name(stringValue: name)))
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: options.map { (label: $0.name, value: $0.option) }, displayStyle: .struct)
    }

    /// By key path.
    var values: [String: String] {
        var values: [String: String] = [:]
        for (entry, option) in zip(SettingTable.scalars, options) { values[entry.keyPath] = option.option.wrappedValue }
        return values
    }

    /// The parser's message about a misspelt flag with the flag that was meant, which the parser itself suggests only
    /// if a command's help shows it; `nil` where it is about something else, or no flag is near.
    static func hinting(_ message: String) -> String? {
        guard let unknown = message.firstMatch(of: /Unknown option '--([^']+)'(?!\.)/) else { return nil }
        let flags = SettingTable.scalars.map(\.flagName)
        guard let nearest = NearestName.nearest(to: String(unknown.1), among: flags) else { return nil }
        return message.replacing(unknown.0, with: "\(unknown.0). Did you mean '--\(nearest)'?", maxReplacements: 1)
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
