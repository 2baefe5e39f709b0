import Crypto
import Testing

@testable import AppStore

struct VerifiedJWSCacheTests {
    private let cache = VerifiedJWSCache()

    private func digest(_ number: Int) -> SHA256Digest { SHA256.hash(data: Array("\(number)".utf8)) }

    @Test("However many JWS were verified, a bounded number is remembered, the latest of them and those asked for")
    func bounded() {
        let capacity = VerifiedJWSCache.capacity
        for number in 0..<5 * capacity {
            cache.insert(digest(number))
            #expect(cache.knows(digest(0)))
        }
        #expect(cache.count <= 2 * capacity)
        #expect((4 * capacity..<5 * capacity).allSatisfy { cache.knows(digest($0)) })
        #expect(!cache.knows(digest(1)))
        #expect(!cache.knows(digest(5 * capacity)))
    }
}
