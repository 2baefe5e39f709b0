import Dispatch
import Glibc
import Synchronization

/// A counter under a mutex, and one that nothing protects.
final class Counters: @unchecked Sendable {
    let locked = Mutex(0)
    var bare = 0
}

/// Threads that have to wait for one another: `proof` counts under the mutex alone, `proof race` without it too.
///
/// deploy/sanitize.sh runs it to show what the thread sanitizer sees: of the first nothing, of the second the race.
@main
struct Proof {
    static func main() {
        let counters = Counters()
        let isRacing = CommandLine.arguments.contains("race")
        let threads = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: threads) {
                for _ in 0..<50 {
                    // Held for long, so that the others sleep in the kernel and are woken.
                    counters.locked.withLock { count in
                        count += 1
                        usleep(500)
                    }
                    _ = counters.locked.withLockIfAvailable { count in count += 1 }
                    if isRacing { counters.bare += 1 }
                }
            }
        }
        threads.wait()
        print(counters.locked.withLock { $0 }, counters.bare)
    }
}
