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
    func keys(_ app: Members) -> [KeySettings] {
        guard needsKeys else {
            _ = (app.value("issuerId", .issuerId), app.member("keys"))
            return []
        }
        // It holds for each key without one of its own.
        let issuerId = app.value("issuerId", .issuerId)
        var first: Members?
        let uses = FirstUses<[UInt8]>()
        let keys = app.things(
            "keys",
            .keyId,
            required: "write the list of the app's keys",
            empty: "the app needs a key that signs its offers",
            recordedIn: nil
        ) { members, id in
            let key = key(members, id, isFirst: first == nil, appIssuer: issuerId, uses)
            first = first ?? members
            return key
        }
        // The first key's issuer counts.
        if let first, keys?.first?.issuerId == nil, let later = keys?.first(where: { $0.issuerId != nil }) {
            first.node.warn(
                "has no issuerId, but the key \(later.id) has one; the format jws and the App Store Server API use the "
                    + "first key's issuerId: write issuerId on the app, for all its keys"
            )
        }
        return keys ?? []
    }

    private func key(
        _ members: Members,
        _ id: String?,
        isFirst: Bool,
        appIssuer: String?,
        _ uses: FirstUses<[UInt8]>
    ) -> KeySettings? {
        let (fileNode, tokenNode) = (members.member("file"), members.member("pkcs11"))
        let publicKeyNode = members.member("publicKeyFile")
        if let tokenNode {
            if fileNode != nil { tokenNode.fault("stands beside file; keep one of the two") }
        } else if isFirst {
            _ = members.member("file", required: "the first key signs, so its private key (P8) is needed")
        } else if fileNode == nil && publicKeyNode == nil {
            members.node.fault("has neither file nor publicKeyFile; a key that no longer signs needs one of them")
        }
        let file = existingFile(fileNode, "the private key, a P8")
        let token = file == nil ? token(tokenNode) : nil
        let publicKeyFile = existingFile(publicKeyNode, "the public key")
        let issuerId = members.value("issuerId", .issuerId)
        guard let id else { return nil }
        warnOfUnusualId(id, members)
        let key = KeySettings(
            id: id,
            file: file,
            publicKeyFile: publicKeyFile,
            issuerId: issuerId ?? appIssuer,
            token: token
        )
        if key.isPrivate, let node = fileNode ?? tokenNode {
            // Such as the old file, copied for the next key: StoreKit refuses signatures under a wrong id.
            uses.claim(load(key, namedAt: node), at: node, isFault: false)
        }
        // That of a token's key is read with it.
        if let publicKeyNode, publicKeyFile != nil, token == nil {
            do throws(ValueFault) { try keyRing?.loadPublicKey(of: key) } catch { publicKeyNode.fault(error.message) }
        }
        return key
    }

    /// Returns the key's fingerprint.
    private func load(_ key: KeySettings, namedAt node: ConfigurationNode) -> [UInt8]? {
        let isGroupReadable = isGroupReadable || key.file.map(directory.isCredential) == true
        do throws(ValueFault) {
            let fingerprint =
                if let token = key.token {
                    try load(key, token, at: node)
                } else {
                    try keyRing?.load(key, isGroupReadable: isGroupReadable)
                }
            guard fingerprint == DemoCredentials.publicKeySHA256, let exposed else { return fingerprint }
            node.fault(
                "is the demo key, which everyone has, but \(exposed) is not a loopback address; use a key of your own, "
                    + "from App Store Connect"
            )
        } catch {
            node.fault(error.message)
        }
        return nil
    }

    /// A wrong id makes StoreKit refuse every signature, so a hint at one is worth a warning.
    private func warnOfUnusualId(_ id: String, _ members: Members) {
        guard let file = members.member("file"), let path = file.value(.file), let name = KeyFileName(path: path) else {
            return
        }
        if name.keyIdentifier != id {
            file.warn(
                "\(Echo.path(path)) is named for the key \(Echo.known(name.keyIdentifier)), but the id is "
                    + "\(Echo.known(id)); StoreKit refuses signatures under a wrong id: correct the id, or name the "
                    + "file of that key"
            )
        }
        if let note = name.note { file.warn("\(Echo.path(path)) \(note)") }
    }
}
