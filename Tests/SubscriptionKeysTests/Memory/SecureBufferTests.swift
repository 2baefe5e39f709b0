import Foundation
import ProcessMemory
import Testing

@testable import SubscriptionKeys

/// The memory that a key passes through on its way from the file.
struct SecureBufferTests {
    @Test("It lies in locked memory, is zero at first, and is cleansed when it goes")
    func lifetime() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.initialize()
            let secret = (0..<64).map { _ in UInt8.random(in: 1 ... .max) }
            let place = try Self.fillAndDrop(with: secret)
            let locked = try ProcessMemory(of: getpid()).mappings.filter(\.isLocked)
            #expect(locked.contains { $0.range.contains(place) && $0.range.contains(place + 63) })
            let after = try #require(UnsafeRawPointer(bitPattern: place))
            // The heap writes its own list into the first bytes of what is free.
            #expect((16..<64).allSatisfy { after.load(fromByteOffset: $0, as: UInt8.self) == 0 })
        }
    }

    @Test("A cut never grows the buffer")
    func truncate() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.initialize()
            var buffer = try SecureBuffer(count: 8)
            for (asked, left) in [(100, 8), (5, 5), (6, 5), (-1, 0)] {
                buffer.truncate(to: asked)
                #expect(buffer.count == left)
            }
        }
    }

    /// Where the buffer was.
    private static func fillAndDrop(with secret: [UInt8]) throws -> UInt {
        var buffer = try SecureBuffer(count: secret.count)
        return buffer.withMutableBytes { bytes in
            let wasZero = bytes.indices.allSatisfy { bytes[$0] == 0 }
            for index in bytes.indices { bytes[index] = secret[index] }
            return wasZero ? bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } : 0
        }
    }
}
