import StrictJSON

enum UnknownVariables {
    /// Warns of unknown `OFFER_SIGNER_…` variables and of near misses of known ones; an unknown one that asks for TLS
    /// is a fault.
    static func check(_ environment: [String: String], _ faults: FaultCollector) {
        let known = SettingTable.scalars.map(\.variableName)
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            let place = ConfigurationPlace(origin: .environment(name), keyPath: "")
            let nearest = isNearPrefix(name) ? NearestName.nearest(to: name, among: known) : nil
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            guard name.hasPrefix(SettingEntry.variablePrefix) else {
                if let nearest, NearestName.distance(name, nearest) <= mostEdits {
                    faults.warning(place, "is not a variable of offer-signer and has no effect\(hint)")
                }
                continue
            }
            let rest = name.dropFirst(SettingEntry.variablePrefix.count)
            if rest == "SERVER_TLS" || rest.hasPrefix("SERVER_TLS_") {
                let variables = known.filter { $0.contains("_SERVER_TLS_") }.joined(separator: ", ")
                let reason =
                    "is not a variable of offer-signer, but seems to ask for TLS; serving plain HTTP instead would be "
                    + "unsafe: use \(variables), or remove it"
                faults.fault(place, reason)
            } else if !isSetByKubernetes(rest, value) {
                faults.warning(place, "is not a variable of offer-signer and has no effect\(hint)")
            }
        }
    }

    /// How many letters may be wrong in a name that does not begin as ours do: it may be another program's.
    private static let mostEdits = 3

    /// Whether a name begins nearly as ours do, whatever the case of its letters: a cheap look before the exact one.
    private static func isNearPrefix(_ name: String) -> Bool {
        let prefix = SettingEntry.variablePrefix
        return NearestName.distance(String(name.prefix(prefix.count)), prefix) <= 2 * mostEdits
    }

    /// Whether Kubernetes sets the variable for a Service called `offer-signer`, or one whose name begins like that
    /// ("Accessing the Service", environment variables).
    private static func isSetByKubernetes(_ rest: Substring, _ value: String) -> Bool {
        if rest == "PORT" || rest.hasSuffix("_PORT"), value.contains("://") { return true }
        if rest.hasPrefix("SERVICE_") || rest.contains("_SERVICE_HOST") || rest.contains("_SERVICE_PORT") {
            return true
        }
        return rest.contains(/(^|_)PORT_[0-9]+_(TCP|UDP|SCTP)/)
    }
}
