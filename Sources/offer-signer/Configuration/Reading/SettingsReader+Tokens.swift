import Foundation
import SubscriptionKeys

/// Keys that stay in a token, and the modules that reach them.
extension SettingsReader {
    /// The modules that the main file names, loaded at the start alone.
    func tokenModules(_ file: MainFile, _ layers: SettingLayers) -> [TokenModuleFile] {
        let node = file.lists[SettingTable.shared.tokenModules.entry.keyPath]
        let files = (node?.list(of: "PKCS#11 modules") ?? []).compactMap(tokenModule)
        do throws(KeyError) {
            try keyRing?.loadModules(
                files,
                sessions: layers.tokenSessions,
                timeout: .milliseconds(layers.tokenTimeoutMilliseconds)
            )
        } catch {
            node?.fault("\(error)")
        }
        return files
    }

    /// A path, or `{ file, parameters }`.
    private func tokenModule(_ node: ConfigurationNode) -> TokenModuleFile? {
        let members = node.isMapping ? node.mapping(keys: ["file", "parameters"]) : nil
        if node.isMapping, members == nil { return nil }
        let file = members.map { $0.required("file", "name the module, a shared library") } ?? node
        let text = members?["parameters"]?.value("a text for C_Initialize", Self.parameters)
        guard let file, let path = existingFile(file, "a PKCS#11 module, a shared library") else { return nil }
        if members?["parameters"] != nil, text == nil { return nil }
        do throws(KeyError) {
            return try TokenModuleFile(path, parameters: text)
        } catch {
            file.fault("\(Echo.path(path)) \(error.reason)")
            return nil
        }
    }

    private static func parameters(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw ValueFault("is empty; leave it out, or write the text")
        }
        return text
    }

    /// The key that a URI names; `pin-source` is relative to the catalog.
    func token(_ node: ConfigurationNode?) -> TokenSettings? {
        guard let node else { return nil }
        let uri = node.value("a PKCS#11 URI") { (text) throws(ValueFault) in
            do throws(KeyError) {
                return try TokenURI(text)
            } catch {
                throw ValueFault(error.reason)
            }
        }
        guard let uri else { return nil }
        var pinFile: String?
        if let source = uri.pinSource {
            let isCredential = ConfigurationDirectory.isCredentialName(source)
            let path = isCredential ? source : ConfigurationDirectory(of: node.place.source).resolve(source)
            pinFile = existingFile(path, "the PIN of the token", at: node.place)
            if pinFile == nil { return nil }
        }
        return TokenSettings(uri: uri, modulePath: uri.modulePath.map(directory.resolve), pinFile: pinFile)
    }

    /// Loads a token's key, and returns its fingerprint.
    func load(
        _ key: KeySettings,
        _ token: TokenSettings,
        at node: ConfigurationNode,
        isGroupReadable: Bool
    ) throws(ValueFault) -> [UInt8]? {
        let isGroupReadable = isGroupReadable || token.pinFile.map(directory.isCredential) == true
        guard let known = try keyRing?.load(key, token, isGroupReadable: isGroupReadable) else { return nil }
        if known.description.isExtractable == true || known.description.isSensitive == false {
            faults.warning(
                node.place,
                "the token would give the key \(Echo.known(key.id)) away: it is "
                    + (known.description.isExtractable == true ? "extractable" : "not sensitive")
                    + "; import it anew with CKA_SENSITIVE true and CKA_EXTRACTABLE false"
            )
        }
        return known.publicKeySHA256
    }
}
