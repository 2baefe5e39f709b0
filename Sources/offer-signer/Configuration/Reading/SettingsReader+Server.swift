import NIOCore
import OfferAPI

/// The public listener's limits and its TLS.
extension SettingsReader {
    /// The limits of connections.
    ///
    /// - Parameter layers: The settings.
    /// - Returns: The limits.
    func connectionLimits(_ layers: SettingLayers) -> ConnectionLimits {
        func seconds(_ setting: KnownSetting) -> TimeAmount { .seconds(Int64(layers.number(setting))) }
        return ConnectionLimits(
            maximumConnections: layers.number(.maximumConnections),
            maximumHeaderBytes: layers.number(.maximumHeaderBytes),
            maximumEvidenceBodyBytes: layers.number(.maximumEvidenceBodyBytes),
            maximumBodyBytes: layers.number(.maximumBodyBytes),
            idleTimeout: seconds(.idleTimeoutSeconds),
            headerTimeout: seconds(.headerTimeoutSeconds),
            requestTimeout: seconds(.requestTimeoutSeconds),
            answerTimeout: seconds(.requestTimeoutSeconds) + seconds(.appStoreTimeoutSeconds),
            maximumWaitingOffers: layers.number(.maximumWaitingOffers)
        )
    }

    /// Reads the files of TLS.
    ///
    /// - Parameters:
    ///   - layers: The settings.
    ///   - protection: How private files are kept.
    /// - Returns: What was read; `nil` when TLS is not asked for, or at fault.
    func tls(_ layers: SettingLayers, _ protection: KeyProtection) -> TLSFiles? {
        let settings = [
            KnownSetting.serverTLSCertificateFile, .serverTLSPrivateKeyFile, .serverTLSClientCertificateAuthorityFile,
        ]
        guard let given = settings.first(where: layers.isGiven) else { return nil }
        for setting in settings.prefix(2) where !layers.isGiven(setting) {
            faults.fault(layers.place(given), "asks for TLS, which needs \(setting.keyPath), too")
        }
        let kinds = ["the certificate, PEM", "the certificate's private key, PEM", "the clients' authorities, PEM"]
        let paths = zip(settings, kinds).map { setting, kind in
            layers.text(setting).flatMap { existingFile($0, kind, at: layers.place(setting)) }
        }
        guard let certificate = paths[0], let key = paths[1] else { return nil }
        // Without the authorities that were asked for, everybody would be let in.
        guard paths[2] != nil || !layers.isGiven(settings[2]) else { return nil }
        do throws(ValueFault) {
            let isGroupReadable = protection.isGroupReadable || directory.isCredential(key)
            try RegularFile.checkIsPrivate(key, isGroupReadable: isGroupReadable)
        } catch {
            faults.fault(layers.place(settings[1]), "\(Echo.path(key)) \(error.message)")
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
            let setting = settings[index ?? 0]
            faults.fault(layers.place(setting), "\(Echo.path(paths[index ?? 0] ?? "")) \(error.detail)")
            return nil
        }
    }
}
