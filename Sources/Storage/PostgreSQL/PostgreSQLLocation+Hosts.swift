import FoundationEssentials

/// The hosts of a URL, each by itself: libpq would try them all within one deadline, and stop at the first that answers.
extension PostgreSQLLocation {
    /// A location for each host of this one, in their order.
    var hosts: [PostgreSQLLocation] {
        guard parameters["target_session_attrs"] == "prefer-standby" else { return each }
        // The first time round a standby, and then anything.
        return ["standby", "any"].flatMap { wanted in each.map { $0.with(["target_session_attrs": wanted]) } }
    }

    /// The host and its port, for messages.
    var place: String {
        let port = parameters["port"].flatMap { $0.isEmpty ? nil : $0 } ?? Self.environment["PGPORT"] ?? "5432"
        guard let host = setting("host") ?? setting("hostaddr") else { return "the local socket, port \(port)" }
        if host.hasPrefix("/") || host.hasPrefix("@") { return port == "5432" ? host : "\(host), port \(port)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private var each: [PostgreSQLLocation] {
        let lists = ["host", "hostaddr", "port"].map { keyword in
            (keyword, setting(keyword)?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? [])
        }
        let count = lists.map(\.1.count).max() ?? 0
        // Lists that do not fit each other are for libpq to refuse.
        guard count > 1,
            lists.allSatisfy({ keyword, list in
                list.count == count || list.isEmpty || keyword == "port" && list.count == 1
            })
        else { return [self] }
        return (0..<count).map { index in
            with(
                Dictionary(
                    uniqueKeysWithValues: lists.compactMap { keyword, list in
                        list.isEmpty ? nil : (keyword, list.count == 1 ? list[0] : list[index])
                    }
                )
            )
        }
    }

    private func with(_ others: [String: String]) -> PostgreSQLLocation {
        PostgreSQLLocation(parameters: parameters.merging(others) { _, new in new }.filter { !$0.value.isEmpty })
    }

    private func setting(_ keyword: String) -> String? {
        let variables = ["host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT"]
        return parameters[keyword] ?? variables[keyword].flatMap { Self.environment[$0] }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
