import CSigningMemory
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SubscriptionKeys

/// What OpenSSL allocates while it signs: the private number, of which it draws the secret number, is in it.
@Suite("The pool that OpenSSL allocates in while it signs")
struct SigningPoolTests {
    @Test("All of it is in the thread's own pool, and all is given back, on whichever thread it signs")
    func everything() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.initialize()
            let signer = try Workbench().load(TestKey().pem)
            for round in 0..<3 {
                let uses = Mutex<[Int]>([])
                let isDone = DispatchSemaphore(value: 0)
                let thread = Thread {
                    for number in 0..<16 {
                        _ = try? signer.derSignature(over: Array("message \(round) \(number)".utf8).span)
                        if let use = SigningStack.allocations { uses.withLock { $0.append(use) } }
                    }
                    isDone.signal()
                }
                thread.start()
                isDone.wait()
                let taken = uses.withLock(\.self)
                if let reason = SigningStack.whyOrdinary {
                    // Nothing else excuses it.
                    #expect(["locked memory", "secret memory", "x86-64"].contains { reason.contains($0) })
                    #expect(taken.isEmpty)
                    return
                }
                let first = try #require(taken.first)
                // A number's digits, the hash that draws it, and whatever else OpenSSL of this version has.
                #expect(first > 10)
                #expect(taken == (1...16).map { first * $0 })
                // All of them together are more than there is room for.
                #expect(SigningStack.poolShortage == nil)
            }
        }
    }

    @Test("A block is overwritten when it is freed, also by another thread")
    func overwritten() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.initialize()
            guard let stack = SigningStack.ofThisThread() else { return }
            csigning_enter(SigningStack.pool(of: stack))
            let blocks = (0..<2).compactMap { _ in csigning_malloc(32, nil, 0) }
            csigning_leave()
            try #require(blocks.count == 2)
            for block in blocks { memset(block, 0x5a, 32) }
            csigning_free(blocks[0], nil, 0)
            let address = UInt(bitPattern: blocks[1])
            let isDone = DispatchSemaphore(value: 0)
            Thread {
                csigning_free(UnsafeMutableRawPointer(bitPattern: address), nil, 0)
                isDone.signal()
            }.start()
            isDone.wait()
            for block in blocks { #expect((0..<32).allSatisfy { block.load(fromByteOffset: $0, as: UInt8.self) == 0 }) }
        }
    }

    @Test("A pool without room is a warning with the number of blocks, also when its thread has ended")
    func shortage() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.initialize()
            let isDone = DispatchSemaphore(value: 0)
            let thread = Thread {
                if let stack = SigningStack.ofThisThread() {
                    csigning_enter(SigningStack.pool(of: stack))
                    let fits = csigning_malloc(32, nil, 0)
                    let tooLarge = (0..<2).map { _ in csigning_malloc(4096, nil, 0) }
                    csigning_leave()
                    csigning_free(fits, nil, 0)
                    for block in tooLarge { csigning_free(block, nil, 0) }
                }
                isDone.signal()
            }
            thread.start()
            isDone.wait()
            guard SigningStack.whyOrdinary == nil else { return }
            let warning = try #require(SigningStack.poolShortage)
            #expect(warning.contains("2 blocks were in ordinary memory"))
            #expect(warning.contains("openssl version"))
        }
    }
}
