import Logging
import OfferAPI
import Offers
import ServiceLifecycle

/// Shows a renewed certificate without a reload: looks every two seconds whether other files are in place of those in use.
///
/// Files that cannot be used, as one of two is not written yet, are looked at again; nothing of them is shown.
struct TLSRenewal: Service {
    let identity: TLSIdentity
    /// Whether the group may read the key.
    let isGroupReadable: @Sendable () -> Bool
    let logger: Logger
    var interval = Duration.seconds(2)

    func run() async throws {
        var (seen, refused): ([FileState?]?, [FileState?]?)
        while await Pause.isOver(after: interval) {
            let changed = identity.files.changed
            // The program that writes them may not be done.
            guard let changed, changed == seen else {
                seen = changed
                continue
            }
            guard changed != refused else { continue }
            if let fault = renew() {
                logger.error("the certificate in use stays in use: \(fault)")
                refused = changed
            }
        }
    }

    /// The fault that keeps the files from being used.
    private func renew() -> String? {
        let inUse = identity.files
        do {
            try RegularFile.checkIsPrivate(inUse.privateKeyFile, isGroupReadable: isGroupReadable())
            let files = try inUse.readAgain()
            if let fault = files.fault(inPlaceOf: inUse, at: WallClock.now()) { throw fault }
            identity.replace(by: files)
            logger.notice("the certificate was renewed", metadata: ["until": "\(files.notValidAfter.rfc3339)"])
            return nil
        } catch let fault as TLSFault {
            return "\(fault.file.setting) \(fault.detail)"
        } catch let fault as ValueFault {
            return "\(TLSFault.File.privateKey.setting) \(fault.message)"
        } catch {
            return "the files cannot be read"
        }
    }
}

extension TLSFault.File {
    fileprivate var setting: String {
        let table = SettingTable.shared
        return switch self {
        case .certificate: table.serverTLSCertificateFile.entry.keyPath
        case .privateKey: table.serverTLSPrivateKeyFile.entry.keyPath
        case .clientCertificateAuthority: table.serverTLSClientCertificateAuthorityFile.entry.keyPath
        }
    }
}
