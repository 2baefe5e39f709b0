import Crypto
package import Offers
import SwiftASN1
import Synchronization
import X509

/// The intermediate certificates that were met under a pinned root of Apple's: each that is new is reported once.
///
/// Apple changes them without a word, and the root some years later.
package final class AppleIntermediates: Sendable {
    /// One that this version does not know.
    package struct Unseen: Equatable, Sendable {
        /// Of the certificate in DER.
        package let sha256: String
        package let subject: String
        package let notAfter: Timestamp
    }

    /// Worldwide Developer Relations G6, under Apple Root CA - G3.
    private static let known = "bdd4ed6e74691f0c2bfd01be0296197af1379e0418e2d300efa9c3bef642ca30"
    /// More than Apple will have.
    private static let most = 64

    private struct State {
        var seen: Set = [AppleIntermediates.known]
        var untold: [Unseen] = []
        var tell: (@Sendable (Unseen) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `tell` with each new one from now on, and at once with those that came before.
    package func observe(_ tell: @escaping @Sendable (Unseen) -> Void) {
        let untold = state.withLock { state in
            state.tell = tell
            defer { state.untold = [] }
            return state.untold
        }
        for unseen in untold { tell(unseen) }
    }

    func record(_ der: [UInt8]) {
        let sha256 = SHA256.hash(data: der).hexadecimal
        let isNew = state.withLock { $0.seen.count < Self.most && $0.seen.insert(sha256).inserted }
        guard isNew, let certificate = try? Certificate(derEncoded: der) else { return }
        let unseen = Unseen(
            sha256: sha256,
            subject: "\(certificate.subject)",
            notAfter: Timestamp(certificate.notValidAfter)
        )
        let tell = state.withLock { state in
            if state.tell == nil { state.untold.append(unseen) }
            return state.tell
        }
        tell?(unseen)
    }
}

extension SHA256Digest {
    var hexadecimal: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
