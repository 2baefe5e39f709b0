import Testing

@testable import SubscriptionKeys

/// One context for each thread that signs at the same time as others, and none once the key is gone.
struct SigningContextPoolTests {
    private let workbench: Workbench
    private let pair: KeyPair

    init() throws {
        workbench = try Workbench()
        let der = try TestKey().der
        pair = try KeyPair(pkcs8: der.span)
    }

    @Test("One after the other share a context")
    func reuse() throws {
        let pool = SigningContextPool(key: pair.privateKey)
        let first = try pool.acquire()
        pool.release(first)
        #expect(try pool.acquire() === first)
    }

    @Test("At the same time each has its own, and each is kept")
    func nesting() throws {
        let pool = SigningContextPool(key: pair.privateKey)
        let first = try pool.acquire()
        let second = try pool.acquire()
        #expect(first !== second)
        pool.release(first)
        pool.release(second)
        #expect(try pool.acquire() === second)
        #expect(try pool.acquire() === first)
    }

    @Test("Without a private number, it is an error that names the step and its reason")
    func publicKey() throws {
        let context = try SigningContextPool(key: pair.publicKey).acquire()
        let message: [UInt8] = [1, 2, 3]
        let error = #expect(throws: KeyError.self) { try context.sign(message.span) }
        #expect(error?.reason.hasPrefix("EVP_PKEY_sign failed: ") == true)
    }
}
