import OfferAPI

extension SettingsReader {
    /// Looks whether bodies have room.
    func checkUnfinishedBytes(_ layers: SettingLayers) {
        let needed = 2 * max(layers.maximumEvidenceBodyBytes, layers.maximumBodyBytes)
        guard layers.maximumUnfinishedBytes < needed else { return }
        faults.fault(
            layers.place(\.maximumUnfinishedBytes),
            "is too small: a client may have half of it, which has to hold the longest body; write \(needed) or more"
        )
    }

    /// The settings of TLS; any of them asks for it.
    private static var tlsFiles: [SettingLayers.Key<String?>] {
        [\.serverTLSCertificateFile, \.serverTLSPrivateKeyFile, \.serverTLSClientCertificateAuthorityFile]
    }

    /// Whether TLS is asked for, perhaps with a fault.
    func asksForTLS(_ layers: SettingLayers) -> Bool { Self.tlsFiles.contains(where: layers.isGiven) }

    /// `nil` when TLS is not asked for, or at fault.
    func tls(_ layers: SettingLayers) -> TLSFiles? {
        let keys = Self.tlsFiles
        guard let given = keys.first(where: layers.isGiven) else { return nil }
        for key in keys.prefix(2) where !layers.isGiven(key) {
            let keyPath = SettingTable.shared[keyPath: key].entry.keyPath
            faults.fault(layers.place(given), "asks for TLS, which needs \(keyPath), too")
        }
        let kinds = ["the certificate, PEM", "the certificate's private key, PEM", "the clients' authorities, PEM"]
        let paths = zip(keys, kinds).map { key, kind in
            layers[dynamicMember: key].flatMap { existingFile($0, kind, at: layers.place(key)) }
        }
        guard let certificate = paths[0], let key = paths[1] else { return nil }
        // Without the authorities that were asked for, everybody would be let in.
        guard paths[2] != nil || !layers.isGiven(keys[2]) else { return nil }
        do throws(ValueFault) {
            let isGroupReadable = layers.keysGroupReadable || directory.isCredential(key)
            try RegularFile.checkIsPrivate(key, isGroupReadable: isGroupReadable)
        } catch {
            faults.fault(layers.place(keys[1]), "\(Echo.path(key)) \(error.message)")
            return nil
        }
        do throws(TLSFault) {
            return try TLSFiles(
                certificateFile: certificate,
                privateKeyFile: key,
                clientCertificateAuthorityFile: paths[2]
            )
        } catch {
            let index = [TLSFault.File.certificate, .privateKey, .clientCertificateAuthority].firstIndex(of: error.file)
            faults.fault(layers.place(keys[index ?? 0]), "\(Echo.path(paths[index ?? 0] ?? "")) \(error.detail)")
            return nil
        }
    }
}
