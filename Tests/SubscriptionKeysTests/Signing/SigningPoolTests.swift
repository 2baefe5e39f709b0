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
                let uses = Mutex<[(taken: Int, missed: Int)]>([])
                let isDone = DispatchSemaphore(value: 0)
                let thread = Thread {
                    for number in 0..<16 {
                        _ = try? signer.derSignature(over: Array("message \(round) \(number)".utf8).span)
                        if let use = SigningStack.poolUse { uses.withLock { $0.append(use) } }
                    }
                    isDone.signal()
                }
                thread.start()
                isDone.wait()
                let (taken, missed) = uses.withLock { ($0.map(\.taken), $0.map(\.missed)) }
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
                #expect(missed == Array(repeating: 0, count: 16))
            }
        }
    }
}
