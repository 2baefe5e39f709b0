import Glibc

/// Threads that do nothing, and show by their number how many the system gives: what it allows hangs on the user's other
/// programs and on the container's, too.
enum ThreadProbe {
    /// Starts threads that are there all at once, and ends them.
    static func canStart(_ count: Int) -> Bool {
        let gate = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(gate, 0, 0)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        // Their stacks need no room: they only wait.
        pthread_attr_setstacksize(&attributes, 65_536)
        var threads: [pthread_t] = []
        for _ in 0..<count {
            var thread = pthread_t()
            let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
                if let gate { sem_wait(gate.assumingMemoryBound(to: sem_t.self)) }
                return nil
            }
            guard pthread_create(&thread, &attributes, wait, gate) == 0 else { break }
            threads.append(thread)
        }
        for _ in threads { sem_post(gate) }
        for thread in threads { pthread_join(thread, nil) }
        pthread_attr_destroy(&attributes)
        sem_destroy(gate)
        gate.deallocate()
        return threads.count == count
    }
}
