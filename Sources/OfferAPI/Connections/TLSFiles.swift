import Glibc
import NIOCore
import NIOSSL
import NIOTLS
package import Offers
import Synchronization

/// The certificate and key of TLS, read from their files.
///
/// The key is read by NIOSSL's BoringSSL, apart from the subscription keys and their OpenSSL. It guards the transport,
/// and signs no offer.
package struct TLSFiles: Sendable {
    /// The time before a certificate's end in which it is worth a warning, in seconds: three days.
    private static let noticeSeconds: Int64 = 3 * 86_400

    let context: NIOSSLContext
    private let chain: [NIOSSLCertificate]
    private let authorities: [NIOSSLCertificate]
    private let notValidBefore: Timestamp
    /// The end of the first certificate of the chain to expire: clients refuse the chain from then on.
    package let notValidAfter: Timestamp
    package let privateKeyFile: String
    private let certificateFile: String
    private let clientCertificateAuthorityFile: String?
    /// The files as they were before they were read.
    private let states: [FileState?]

    /// Reads PEM files: the certificate with its chain, the server's first, and its key without a passphrase.
    ///
    /// With `clientCertificateAuthorityFile`, clients need a certificate of these authorities. TLS 1.2 and 1.3 are
    /// spoken; of 1.2 the suites with forward secrecy and authenticated encryption. Throws the file at fault.
    package init(
        certificateFile: String,
        privateKeyFile: String,
        clientCertificateAuthorityFile: String?
    ) throws(TLSFault) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
        self.clientCertificateAuthorityFile = clientCertificateAuthorityFile
        states = Self.states(certificateFile, privateKeyFile, clientCertificateAuthorityFile)
        chain = try Self.certificates(certificateFile, .certificate)
        // A chain has at least one certificate, and is valid while all of its certificates are.
        notValidBefore = Timestamp(secondsSince1970: chain.map(\.notValidBefore).max() ?? .min)
        notValidAfter = Timestamp(secondsSince1970: chain.map(\.notValidAfter).min() ?? .max)
        let key: NIOSSLPrivateKey
        do {
            // Without this callback, BoringSSL would ask on the terminal.
            key = try NIOSSLPrivateKey(file: privateKeyFile, format: .pem) { (use: (([UInt8]) -> Void)) in use([]) }
        } catch {
            throw TLSFault(file: .privateKey, detail: "holds no private key in PEM that needs no passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = ["http/1.1"]
        authorities =
            try clientCertificateAuthorityFile.map { path throws(TLSFault) in
                try Self.certificates(path, .clientCertificateAuthority)
            } ?? []
        if !authorities.isEmpty {
            configuration.trustRoots = .certificates(authorities)
            configuration.certificateVerification = .noHostnameVerification
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSFault(file: .privateKey, detail: "is not the key of the certificate in certificateFile")
        }
    }

    /// A sentence that clients refuse the certificates now, or will soon; `nil` otherwise.
    package func warning(at now: Timestamp) -> String? {
        let fix = "put a new one there"
        if now < notValidBefore {
            return "server.tls.certificateFile: a certificate is not valid before \(notValidBefore.rfc3339); \(fix)"
        }
        if now > notValidAfter {
            return "server.tls.certificateFile: a certificate expired at \(notValidAfter.rfc3339); \(fix)"
        }
        guard now.adding(seconds: Self.noticeSeconds) > notValidAfter else { return nil }
        return "server.tls.certificateFile: a certificate expires at \(notValidAfter.rfc3339); \(fix)"
    }

    /// The fault of files that would cut clients off in place of those in use; `nil` for what is in use already.
    package func fault(inPlaceOf inUse: TLSFiles, at now: Timestamp) -> TLSFault? {
        if chain != inUse.chain {
            if now < notValidBefore {
                return TLSFault(file: .certificate, detail: "is not valid before \(notValidBefore.rfc3339)")
            }
            if now > notValidAfter {
                return TLSFault(file: .certificate, detail: "expired at \(notValidAfter.rfc3339)")
            }
        }
        let isUsable = authorities.contains {
            Timestamp(secondsSince1970: $0.notValidBefore) <= now
                && now <= Timestamp(secondsSince1970: $0.notValidAfter)
        }
        guard authorities != inUse.authorities, !authorities.isEmpty, !isUsable else { return nil }
        return TLSFault(file: .clientCertificateAuthority, detail: "has no certificate that is valid now")
    }

    /// The files as they are now, if others were put in their place; `nil` for those that were read.
    package var changed: [FileState?]? {
        let now = Self.states(certificateFile, privateKeyFile, clientCertificateAuthorityFile)
        return now == states ? nil : now
    }

    package func readAgain() throws(TLSFault) -> TLSFiles {
        try TLSFiles(
            certificateFile: certificateFile,
            privateKeyFile: privateKeyFile,
            clientCertificateAuthorityFile: clientCertificateAuthorityFile
        )
    }

    private static func states(_ paths: String?...) -> [FileState?] { paths.map { $0.flatMap(FileState.init) } }

    private static func certificates(_ path: String, _ file: TLSFault.File) throws(TLSFault) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw TLSFault(file: file, detail: "holds no certificate in PEM")
        }
        return certificates
    }
}

extension Timestamp {
    fileprivate init(secondsSince1970 seconds: Int) {
        let (milliseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1000)
        self.init(millisecondsSince1970: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
    }
}

extension TLSFiles: Equatable {
    /// Whether both are one reading: two readings differ, even of unchanged files.
    package static func == (left: TLSFiles, right: TLSFiles) -> Bool { left.context === right.context }
}

package struct TLSFault: Error, Equatable, Sendable {
    package enum File: Equatable, Sendable {
        /// `server.tls.certificateFile`.
        case certificate
        /// `server.tls.privateKeyFile`.
        case privateKey
        /// `server.tls.clientCertificateAuthorityFile`.
        case clientCertificateAuthority
    }

    package let file: File
    /// The fault, in a clause that follows the file's path.
    package let detail: String
}

/// By which a file is known to be the one that was read; symbolic links are followed.
package struct FileState: Equatable, Sendable {
    private let numbers: [Int]

    fileprivate init?(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        let (written, changed) = (found.st_mtim, found.st_ctim)
        numbers = [
            Int(found.st_dev), Int(found.st_ino), found.st_size, written.tv_sec, written.tv_nsec, changed.tv_sec,
            changed.tv_nsec,
        ]
    }
}

/// The certificate and key that a listener shows, until others are put in their place.
package final class TLSIdentity: Sendable {
    private let current: Mutex<TLSFiles>

    package init(_ files: TLSFiles) {
        current = Mutex(files)
    }

    /// Shows another certificate from the next connection on.
    package func replace(by files: TLSFiles) {
        current.withLock { $0 = files }
    }

    package var files: TLSFiles { current.withLock { $0 } }
}

/// Stands behind the TLS handler, and reports failed handshakes: an operator finds out why a client cannot connect.
final class TLSHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let noteFailure: (String) -> Void

    init(noteFailure: @escaping (String) -> Void) {
        self.noteFailure = noteFailure
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted = event {
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that just goes has not failed: so do probes that check whether the port is open.
        if case NIOSSLError.handshakeFailed(.sslError(let faults)) = error, faults != [.eofDuringHandshake] {
            noteFailure(Self.reason(in: faults))
        }
        context.fireErrorCaught(error)
    }

    /// BoringSSL's words for an alert in the clear, which many clients of TLS 1.3 send in place of going on.
    private static let givenUp = "bad packet length"

    /// The words of the first fault, such as `no shared cipher`, without the places in its sources.
    private static func reason(in faults: NIOBoringSSLErrorStack) -> String {
        let text = faults.first.map { "\($0)" } ?? ""
        guard let words = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) else { return "unknown" }
        let reason = words.1.replacing("_", with: " ").lowercased()
        guard reason == givenUp else { return reason }
        return "the client gave up, mostly as it does not trust the certificate (\(reason))"
    }
}

@available(*, unavailable)
extension TLSHandshakeHandler: Sendable {}
