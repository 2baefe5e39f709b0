import Foundation
import SubscriptionKeys

/// Keys that stay in a token, and the modules that reach them.
extension SettingsReader {
    /// The modules that the main file names, loaded at the start alone.
    func tokenModules(_ file: MainFile, _ layers: SettingLayers) -> [TokenModuleFile] {
        let node = file.lists[SettingTable.shared.tokenModules.entry.keyPath]
        let files = (node?.list() ?? []).compactMap(tokenModule)
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
        guard node.isMapping else { return tokenModule(node, parameters: nil) }
        return node.mapping { module in
            let file = module.member("file", required: "name the module, a shared library")
            let parameters = module.value("parameters", .moduleParameters)
            guard let file, parameters != nil || module.member("parameters") == nil else { return nil }
            return tokenModule(file, parameters: parameters)
        }
    }

    private func tokenModule(_ file: ConfigurationNode, parameters: String?) -> TokenModuleFile? {
        guard let path = existingFile(file, "a PKCS#11 module, a shared library") else { return nil }
        do throws(KeyError) {
            return try TokenModuleFile(path, parameters: parameters)
        } catch {
            file.fault("\(Echo.path(path)) \(error.reason)")
            return nil
        }
    }

    /// The key that a URI names; `pin-source` is relative to the catalog.
    func token(_ node: ConfigurationNode?) -> TokenSettings? {
        guard let node, let uri = node.value(.tokenURI) else { return nil }
        var pinFile: String?
        if let source = uri.pinSource {
            do throws(ValueFault) {
                _ = try ValueKind<String>.file.parse(source)
            } catch {
                node.fault("pin-source \(error.message)")
                return nil
            }
            let isCredential = ConfigurationDirectory.isCredentialName(source)
            let path = isCredential ? source : ConfigurationDirectory(of: node.place.source).resolve(source)
            pinFile = existingFile(
                path,
                "the PIN of the token",
                at: node.place,
                relativeTo: "the catalog",
                called: "the file that pin-source names"
            )
            if pinFile == nil { return nil }
        }
        return TokenSettings(uri: uri, modulePath: uri.modulePath.map(directory.resolve), pinFile: pinFile)
    }

    /// Loads a token's key, and returns its fingerprint.
    func load(
        _ key: KeySettings,
        _ token: TokenSettings,
        at node: ConfigurationNode
    ) throws(ValueFault) -> [UInt8]? {
        let isGroupReadable = isGroupReadable || token.pinFile.map(directory.isCredential) == true
        guard let known = try keyRing?.load(key, token, isGroupReadable: isGroupReadable) else { return nil }
        if known.description.isExtractable == true || known.description.isSensitive == false {
            node.warn(
                "the token would give the key \(Echo.known(key.id)) away: it is "
                    + (known.description.isExtractable == true ? "extractable" : "not sensitive")
                    + "; import it anew with CKA_SENSITIVE true and CKA_EXTRACTABLE false"
            )
        }
        return known.publicKeySHA256
    }
}

extension ValueKind<TokenURI> {
    static var tokenURI: ValueKind {
        ValueKind(name: "PKCS#11 URI", isShown: false) { text throws(ValueFault) in
            do throws(KeyError) {
                return try TokenURI(text)
            } catch {
                throw ValueFault(error.reason)
            }
        }
    }
}
