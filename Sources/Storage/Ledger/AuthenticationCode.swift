import Crypto
import Glibc

/// HMAC with SHA-256 (RFC 2104), with the key and the beginning of all messages taken in once.
///
/// swift-crypto's own is generic, and not specialised for those who use it from another module: that was nearly
/// half of what a digest cost.
struct AuthenticationCode: Sendable {
    /// SHA-256 with the key and the inner padding taken in, and what begins all messages.
    private let inner: SHA256
    /// SHA-256 with the key and the outer padding taken in.
    private let outer: SHA256

    /// Takes a key in; it is not kept but in the two states.
    init(key: [UInt8], beginning: [UInt8] = []) {
        var inner = SHA256()
        var outer = SHA256()
        withUnsafeTemporaryAllocation(byteCount: SHA256.blockByteCount, alignment: 1) { block in
            // The key does not stay behind on the stack.
            defer { if let start = block.baseAddress { explicit_bzero(start, block.count) } }
            block.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count > block.count {
                SHA256.hash(data: key).withUnsafeBytes { block.copyMemory(from: $0) }
            } else {
                key.withUnsafeBytes { block.copyMemory(from: $0) }
            }
            for index in block.indices { block[index] ^= 0x36 }
            inner.update(bufferPointer: UnsafeRawBufferPointer(block))
            for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
            outer.update(bufferPointer: UnsafeRawBufferPointer(block))
        }
        beginning.withUnsafeBytes { inner.update(bufferPointer: $0) }
        self.inner = inner
        self.outer = outer
    }

    /// The code of the beginning and this after it.
    func code(of message: UnsafeRawBufferPointer) -> SHA256Digest {
        var inner = inner
        inner.update(bufferPointer: message)
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}
