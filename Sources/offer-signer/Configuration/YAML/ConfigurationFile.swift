import FoundationEssentials

struct ConfigurationFile: Sendable {
    /// No configuration is larger; reading stops there, whatever the path leads to.
    static let maximumBytes = 4 * 1024 * 1024

    let path: String
    let name: String

    var place: ConfigurationPlace { place(line: nil) }

    /// UTF-8.
    func text(namedAt: ConfigurationPlace, _ faults: FaultCollector) -> String? {
        do throws(ValueFault) {
            guard try RegularFile.size(of: path) <= Self.maximumBytes else { throw Self.tooLarge }
            guard RegularFile.isReadable(path) else {
                throw ValueFault("cannot be read: this process may not read it")
            }
            let data = try Self.content(of: path)
            guard data.count <= Self.maximumBytes else { throw Self.tooLarge }
            return text(of: Array(data), faults)
        } catch {
            let prefix = namedAt == place ? "" : Echo.path(name) + ": "
            faults.fault(namedAt, prefix + error.message)
            return nil
        }
    }

    private static func content(of path: String) throws(ValueFault) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ValueFault("cannot be read: \(error.reason)")
        }
    }

    private static let tooLarge = ValueFault("is larger than 4 MiB, the limit for a configuration file")

    private func text(of bytes: [UInt8], _ faults: FaultCollector) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            // A line end is never part of a longer character, so each line is valid or not by itself.
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            faults.fault(place(line: line.map { $0 + 1 }), "is not UTF-8; save the file in UTF-8")
            return nil
        }
        return text
    }

    func place(line: Int?) -> ConfigurationPlace {
        ConfigurationPlace(origin: .file(name, line: line), keyPath: "")
    }
}
