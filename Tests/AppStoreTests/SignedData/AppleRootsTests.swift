import Crypto
import Foundation
import Offers
import SignedDataFixtures
import Synchronization
import Testing

@testable import AppStore

@Suite("Roots of Apple's that the operator pins")
struct AppleRootsTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    private func jws() throws -> String { try authority.signer().sign(#"{"signedDate":1795262400000}"#) }

    private static func sha256(_ der: [UInt8]) -> String {
        SHA256.hash(data: der).map { String(format: "%02x", $0) }.joined()
    }

    private final class Clock: AppleClock {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        var doubt: Int? { nil }
        func observe(_ date: AppleDate) { state.withLock { $0 += 1 } }
    }

    @Test("They count as the built-in one, for Apple's clock, too; additional ones date nothing")
    func clock() throws {
        let root = try TrustedRoot(contents: authority.rootDER)
        for (verifier, count) in [
            (SignedDataVerifier(appleRoots: [root]), 1), (SignedDataVerifier(additionalRoots: [root]), 0),
        ] {
            let clock = Clock()
            _ = try verifier.reporting(to: clock).payload(of: jws())
            #expect(clock.count == count)
        }
    }

    @Test(
        "An intermediate certificate that is not known is told once, also to who asks later; under an additional root never"
    )
    func intermediates() throws {
        let root = try TrustedRoot(contents: authority.rootDER)
        #expect(root.sha256 == Self.sha256(try authority.rootDER))
        let told = Mutex<[AppleIntermediates.Unseen]>([])
        let intermediates = AppleIntermediates()
        _ = try SignedDataVerifier(additionalRoots: [root], telling: intermediates).payload(of: jws())
        for _ in 0..<3 { _ = try SignedDataVerifier(appleRoots: [root], telling: intermediates).payload(of: jws()) }
        intermediates.observe { unseen in told.withLock { $0.append(unseen) } }
        _ = try SignedDataVerifier(appleRoots: [root], telling: intermediates).payload(of: jws())
        let unseen = told.withLock { $0 }
        #expect(unseen.count == 1)
        let der = try authority.signer().certificates[1]
        #expect(unseen.first?.sha256 == Self.sha256(der))
    }
}
