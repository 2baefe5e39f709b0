import SubscriptionKeys

extension SettingsReader {
    func prepareKeyMemory(_ layers: SettingLayers) {
        let place = layers.place(\.keysAllowUnlockedMemory)
        keyRing?.verifiesSignatures = layers.keysVerifySignatures
        do throws(ValueFault) {
            let warning = try keyRing?.prepareMemory(
                allowsUnlocked: layers.keysAllowUnlockedMemory,
                usesSecret: layers.keysSecretMemory
            )
            if let warning { faults.warning(place, warning) }
        } catch {
            faults.fault(place, error.message)
        }
    }

    /// Reads an app's keys, and has their files loaded; keys at fault are left out.
    ///
    /// `appIssuer` holds for each key without an issuer of its own.
    func keys(
        _ list: ConfigurationNode?,
        issuerId appIssuer: String?,
        server: ListenAddress?,
        isGroupReadable: Bool,
        _ keyUses: inout KeyUses
    ) -> [KeySettings] {
        let nodes = list?.filledList(of: "keys", fix: "the app needs a key that signs its offers") ?? []
        var uses = FirstUses<String>()
        var keys: [KeySettings] = []
        for (index, node) in nodes.enumerated() {
            guard let members = node.mapping(keys: ["id", "file", "pkcs11", "publicKeyFile", "issuerId"]) else {
                continue
            }
            let idNode = members.required("id", "write the key's id as in App Store Connect")
            let id = idNode?.value("a key id", Identifier.parseKey)
            uses.claim(id, at: idNode, "the id of another key of this app")
            if let node = members["pkcs11"] {
                if members["file"] != nil { node.fault("stands beside file; keep one of the two") }
            } else if index == 0 {
                _ = members.required("file", "the first key signs, so its private key (P8) is needed")
            } else if members["file"] == nil && members["publicKeyFile"] == nil {
                node.fault("has neither file nor publicKeyFile; a key that no longer signs needs one of them")
            }
            let file = existingFile(members["file"], "the private key, a P8")
            let token = file == nil ? token(members["pkcs11"]) : nil
            let publicKeyFile = existingFile(members["publicKeyFile"], "the public key")
            let issuerId = members["issuerId"]?.value("an issuer id", Identifier.parseIssuer)
            guard let id else { continue }
            warnOfUnusualId(id, at: idNode, file: members["file"])
            let key = KeySettings(
                id: id,
                file: file,
                publicKeyFile: publicKeyFile,
                issuerId: issuerId ?? appIssuer,
                token: token
            )
            let isGroupReadable = isGroupReadable || file.map(directory.isCredential) == true
            let fingerprint = load(key, members, isGroupReadable: isGroupReadable, server: server)
            if let fingerprint, let node = members["file"] ?? members["pkcs11"],
                let accident = keyUses.record(id, fingerprint, at: node.place)
            {
                warn(of: accident, at: node)
            }
            keys.append(key)
        }
        warnOfMissingIssuer(keys, nodes)
        return keys
    }

    /// The first key's issuer counts, so an issuer beside a later key alone has no effect.
    private func warnOfMissingIssuer(_ keys: [KeySettings], _ nodes: [ConfigurationNode]) {
        guard let first = keys.first, first.issuerId == nil, let node = nodes.first,
            let later = keys.first(where: { $0.issuerId != nil })
        else { return }
        faults.warning(
            node.place,
            "has no issuerId, but the key \(later.id) has one; the format jws and the App Store Server API use the "
                + "first key's issuerId: write issuerId on the app, for all its keys"
        )
    }

    private func load(
        _ key: KeySettings,
        _ members: ConfigurationMapping,
        isGroupReadable: Bool,
        server: ListenAddress?
    ) -> [UInt8]? {
        var fingerprint: [UInt8]?
        if key.isPrivate, let node = members["file"] ?? members["pkcs11"] {
            fingerprint = load(key, namedAt: node, isGroupReadable: isGroupReadable, server: server)
        }
        // That of a token's key is read with it.
        guard let node = members["publicKeyFile"], key.publicKeyFile != nil, key.token == nil else {
            return fingerprint
        }
        do throws(ValueFault) {
            try keyRing?.loadPublicKey(of: key)
        } catch {
            node.fault(error.message)
        }
        return fingerprint
    }

    private func load(
        _ key: KeySettings,
        namedAt node: ConfigurationNode,
        isGroupReadable: Bool,
        server: ListenAddress?
    ) -> [UInt8]? {
        do throws(ValueFault) {
            let fingerprint =
                if let token = key.token {
                    try load(key, token, at: node, isGroupReadable: isGroupReadable)
                } else {
                    try keyRing?.load(key, isGroupReadable: isGroupReadable)
                }
            guard fingerprint == DemoCredentials.publicKeySHA256, let server, !server.isLoopback else {
                return fingerprint
            }
            node.fault(
                "is the demo key, which everyone has, but server.host \(Echo.name(server.host)) is not a loopback "
                    + "address; use a key of your own, from App Store Connect"
            )
        } catch {
            node.fault(error.message)
        }
        return nil
    }

    /// Warns of an accident with key files, such as the old file copied for the next key.
    private func warn(of accident: KeyUses.Accident, at node: ConfigurationNode) {
        let (first, what) =
            switch accident {
            case .sameKey(let place): (place, "holds the same key as %, under another id")
            case .otherKey(let place): (place, "holds another key than %, under the same id")
            }
        let place = first.keyPath + (first.line.map { " on line \($0)" } ?? "")
        faults.warning(
            node.place,
            what.replacing("%", with: place) + "; App Store Connect gives each key its own, and StoreKit refuses "
                + "signatures under a wrong id: name the file that was downloaded with this id"
        )
    }

    /// A wrong id makes StoreKit refuse every signature, so a hint at one is worth a warning.
    private func warnOfUnusualId(_ id: String, at idNode: ConfigurationNode?, file: ConfigurationNode?) {
        if let idNode, id.count != 10 {
            faults.warning(idNode.place, "\(Echo.known(id)) has \(id.count) characters; Apple's key ids have 10")
        }
        guard let file, let path = file.value("a path", FilePathText.parse), let name = KeyFileName(path: path) else {
            return
        }
        if name.keyIdentifier != id {
            faults.warning(
                file.place,
                "\(Echo.path(path)) is named for the key \(Echo.known(name.keyIdentifier)), but the id is "
                    + "\(Echo.known(id)); StoreKit refuses signatures under a wrong id: correct the id, or name the "
                    + "file of that key"
            )
        }
        if let note = name.note { faults.warning(file.place, "\(Echo.path(path)) \(note)") }
    }
}
