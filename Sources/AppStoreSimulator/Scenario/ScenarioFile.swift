import Foundation
import Yams

/// `app-store.yaml`: the apps, products and customers of a simulated App Store.
struct ScenarioFile {
    /// Where it is, and what its paths are relative to.
    let directory: URL

    private var url: URL { directory.appending(path: "app-store.yaml") }

    /// Reads the file; writes the one that is built in when there is none.
    func load() throws(SimulatorFault) -> AppStoreWorld {
        if !FileManager.default.fileExists(atPath: url.path) {
            let data = Data(DefaultScenario.yaml.utf8)
            guard FileManager.default.createFile(atPath: url.path, contents: data) else {
                throw SimulatorFault("\(url.path) cannot be written; name another directory with --directory")
            }
        }
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw SimulatorFault("\(url.path) cannot be read")
        }
        return try world(String(decoding: data, as: UTF8.self))
    }

    /// The App Store that a text in YAML describes.
    func world(_ yaml: String) throws(SimulatorFault) -> AppStoreWorld {
        do {
            return try YAMLDecoder().decode(Scenario.self, from: yaml).world(in: directory)
        } catch let error as DecodingError {
            throw SimulatorFault("\(url.path): \(Self.text(of: error))")
        } catch {
            throw SimulatorFault("\(url.path): \(error)")
        }
    }

    /// What Yams says, with the place.
    private static func text(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
            let reason = context.underlyingError.map { "\n\($0)" } ?? ""
            return "\(path.trimmingPrefix(".")) \(context.debugDescription)\(reason)"
        @unknown default: return "\(error)"
        }
    }
}
