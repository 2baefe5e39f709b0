import Foundation
import SubscriptionKeys

/// Keys that stay in a token, and the modules that reach them.
extension SettingsReader {
    /// The modules that the main file names, loaded at the start alone.
    func tokenModules(_ file: MainFile, _ layers: SettingLayers) -> [String] {
        let node = file.lists[SettingTable.shared.tokenModules.entry.keyPath]
        var paths: [String] = []
        for element in node?.list(of: "PKCS#11 modules") ?? [] {
            guard let path = existingFile(element, "a PKCS#11 module, a shared library") else { continue }
            do throws(ValueFault) {
                try RegularFile.checkIsTrusted(path)
                paths.append(path)
            } catch {
                element.fault("\(Echo.path(path)) \(error.message)")
            }
        }
        do throws(KeyError) {
            try keyRing?.loadModules(
                paths,
                sessions: layers.tokenSessions,
                timeout: .milliseconds(layers.tokenTimeoutMilliseconds)
            )
        } catch {
            node?.fault("\(error)")
        }
        return paths
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

extension RegularFile {
    /// Checks that a file of code, which links may lead to, belongs to root or this user, and that nobody else writes it.
    static func checkIsTrusted(_ path: String) throws(ValueFault) {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        else { throw ValueFault("cannot be examined") }
        guard owner == 0 || owner == geteuid() else {
            throw ValueFault("belongs to user \(owner), who could replace its code: chown it to root")
        }
        guard mode & 0o022 == 0 else {
            throw ValueFault("has mode 0\(String(mode, radix: 8)), and others could write its code: chmod go-w")
        }
    }
}
