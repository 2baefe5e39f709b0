import Glibc

/// The descriptors 0, 1 and 2, by which programs read and write without having opened anything.
enum StandardDescriptors {
    /// Takes the numbers of those that are closed, so that none of them becomes a socket's or a file's, into which messages
    /// and results would be written.
    ///
    /// To be called before anything is opened. Writing to what holds a number fails as if it were still closed: who wants a
    /// result nowhere is told so.
    ///
    /// - Returns: Whether none of them is free any more.
    static func reserve() -> Bool {
        (STDIN_FILENO...STDERR_FILENO).allSatisfy { descriptor in
            // The lowest number that is free is taken, which is this one.
            fcntl(descriptor, F_GETFD) >= 0 || open("/dev/null", O_RDONLY) == descriptor
        }
    }
}
