import Foundation
import Offers
import Yams

/// `app-store.yaml`: the apps, products and customers of a simulated App Store.
struct ScenarioFile {
    /// Where it is, and what its paths are relative to.
    let directory: URL

    private var url: URL { directory.appending(path: "app-store.yaml") }

    /// Reads the file; writes the one that is built in when there is none.
    ///
    /// - Returns: The App Store's state.
    /// - Throws: `SimulatorFault` with the first fault.
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
        guard let text = String(data: data, encoding: .utf8) else { throw SimulatorFault("\(url.path) is not UTF-8") }
        return try ScenarioReader(directory: directory).world(try root(of: text))
    }

    /// Parses a text.
    ///
    /// - Parameter text: YAML.
    /// - Returns: The root.
    /// - Throws: `SimulatorFault` when it is no YAML.
    func root(of text: String) throws(SimulatorFault) -> ScenarioNode {
        do {
            // The basic resolver takes every scalar for a text, and leaves its meaning to the reader.
            let parser = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let root = try parser.singleRoot() else { throw SimulatorFault("\(url.path) is empty") }
            return ScenarioNode(root, file: url.path)
        } catch let fault as SimulatorFault {
            throw fault
        } catch YamlError.duplicatedKeysInMapping(_, let context) {
            throw SimulatorFault("\(url.path):\(context.mark.line): a key is given twice")
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            throw SimulatorFault("\(url.path):\(mark.line): is not YAML: \(problem)")
        } catch {
            throw SimulatorFault("\(url.path) is not YAML")
        }
    }
}
