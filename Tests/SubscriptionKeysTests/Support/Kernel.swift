import Glibc

/// What the kernel under the tests can do.
enum Kernel {
    /// Whether memfd_secret(2) works, by a call of it: Swift cannot name syscall(2), which takes any number of arguments.
    static var hasSecretMemory: Bool {
        guard let symbol = dlsym(nil, "syscall") else { return false }
        let call = unsafeBitCast(symbol, to: (@convention(c) (Int, Int) -> Int).self)
        let descriptor = call(447, 0)
        if descriptor >= 0 { close(Int32(descriptor)) }
        return descriptor >= 0
    }
}
