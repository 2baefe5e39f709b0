import ServiceLifecycle

/// The time between two looks of a service that looks again and again.
enum Pause {
    /// Waits for the next look.
    ///
    /// - Parameter interval: How long.
    /// - Returns: `false` when the service ends.
    static func isOver(after interval: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            return true
        } catch {
            return false
        }
    }
}
