extension SettingsReader {
    /// Two listeners on one port are a fault.
    ///
    /// An override of the notifications' listener asks for it, as the file does.
    func listeners(_ layers: SettingLayers, hasNotifications: Bool) -> ListenAddresses {
        let isAsked =
            hasNotifications || layers.isGiven(\.notificationsHost) || layers.isGiven(\.notificationsPort)
        let listeners = ListenAddresses(
            server: ListenAddress(host: layers.serverHost, port: layers.serverPort),
            admin: ListenAddress(host: layers.adminHost, port: layers.adminPort),
            notifications: isAsked
                ? ListenAddress(host: layers.notificationsHost, port: layers.notificationsPort) : nil
        )
        var ports: [Port] = [(\.serverPort, listeners.server), (\.adminPort, listeners.admin)]
        if let notifications = listeners.notifications { ports.append((\.notificationsPort, notifications)) }
        checkPortsDiffer(ports.filter { !layers.isMalformed($0.key) }, layers)
        warnOfExposure(listeners, layers)
        return listeners
    }

    func adminHosts(_ file: MainFile) -> [String] {
        let names = file.lists[SettingTable.shared.adminHosts.entry.keyPath]?.list() ?? []
        return names.compactMap { $0.value(.host) }
    }

    /// What strangers may reach should ask them for something, and tokens should not be readable on their way.
    private func warnOfExposure(_ listeners: ListenAddresses, _ layers: SettingLayers) {
        if HostName.mayBePublic(listeners.server.host), !asksForTLS(layers) {
            faults.warning(
                layers.place(\.serverHost),
                "\(Echo.name(listeners.server.host)) may be reached from other networks, and without server.tls "
                    + "tokens cross them in plain text; set server.tls, or name the private address that your proxy "
                    + "connects to"
            )
        }
        if HostName.mayBePublic(listeners.admin.host) {
            faults.warning(
                layers.place(\.adminHost),
                "\(Echo.name(listeners.admin.host)) may be reached from other networks, and operators' requests need "
                    + "no token; name 127.0.0.1 or a private address"
            )
        }
    }

    private typealias Port = (key: SettingLayers.Key<Int>, address: ListenAddress)

    private func checkPortsDiffer(_ ports: [Port], _ layers: SettingLayers) {
        for (index, later) in ports.enumerated() {
            for earlier in ports[..<index] where Self.collide(earlier.address, later.address) {
                // The port that someone wrote is the one to fix; a default stands nowhere.
                let isLater = layers.isGiven(later.key) || !layers.isGiven(earlier.key)
                let (here, there) = isLater ? (later, earlier) : (earlier, later)
                let other = SettingTable.shared[keyPath: there.key].entry.keyPath
                faults.fault(
                    layers.place(here.key),
                    "\(here.address.port) is also \(other); each listener needs its own port"
                )
            }
        }
    }

    private static func collide(_ left: ListenAddress, _ right: ListenAddress) -> Bool {
        guard left.port == right.port, left.port != 0 else { return false }
        let any = ["0.0.0.0", "::", "*"]
        return left.host == right.host || any.contains(left.host) || any.contains(right.host)
    }
}
