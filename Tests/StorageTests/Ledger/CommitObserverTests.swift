import Synchronization
import Testing

@testable import Storage

@Suite("The observer of commits")
struct CommitObserverTests {
    @Test("is called for as long as the service runs, each time at the same cost")
    func long() {
        let observer = CommitObserver()
        let observed = Mutex(0)
        observer.note([], [], .zero)
        observer.observe { _, _ in observed.withLock { $0 += 1 } }
        // Were the function wrapped at each call, these would not fit on the stack.
        for _ in 0..<300_000 { observer.note([], [], .zero) }
        #expect(observed.withLock { $0 } == 300_000)
    }
}
