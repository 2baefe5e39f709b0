import LogLines

/// What a reload cannot change.
extension Settings {
    /// Names the settings that differ from those the process was started with, and that only a restart puts into effect.
    func changesThatNeedRestart(since running: Settings) -> [String] {
        func describe(_ address: ListenAddress) -> String { "\(address.host), port \(address.port)" }
        let changes: [(keyPath: String, isChanged: Bool, now: String)] = [
            ("server", server.address != running.server.address, describe(running.server.address)),
            (
                "server.drainDelaySeconds", server.drainDelaySeconds != running.server.drainDelaySeconds,
                "\(running.server.drainDelaySeconds)"
            ),
            (
                "server.drainTimeoutSeconds", server.drainTimeoutSeconds != running.server.drainTimeoutSeconds,
                "\(running.server.drainTimeoutSeconds)"
            ),
            (
                "notifications", notifications != running.notifications,
                running.notifications.map { describe($0.address) } ?? "none"
            ),
            ("server.limits", server.limits != running.server.limits, "what it was started with"),
            (
                "server.tls", (server.tls == nil) != (running.server.tls == nil),
                running.server.tls == nil ? "no" : "yes"
            ),
            ("ledger", ledger != running.ledger, "the ledger that the service was started with"),
            ("admin", admin.address != running.admin.address, describe(running.admin.address)),
            ("log.format", log.format != running.log.format, running.log.format.rawValue),
            (
                "keys.secretMemory", keyProtection.usesSecretMemory != running.keyProtection.usesSecretMemory,
                "\(running.keyProtection.usesSecretMemory)"
            ),
        ]
        return changes.filter(\.isChanged).map {
            "\($0.keyPath) has changed, which needs a restart; in use is still \($0.now)"
        }
    }
}
