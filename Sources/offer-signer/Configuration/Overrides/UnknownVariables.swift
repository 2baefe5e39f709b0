/// Looks at environment variables that seem meant for the service.
enum UnknownVariables {
    /// Warns of every `OFFER_SIGNER_…` that is not known; one that asks for TLS is a fault.
    ///
    /// - Parameters:
    ///   - environment: All environment variables.
    ///   - faults: Where warnings and faults go.
    static func check(_ environment: [String: String], _ faults: FaultCollector) {
        let known = KnownSetting.allCases.map {
            KnownSetting.variablePrefix + $0.flagName.uppercased().replacing("-", with: "_")
        }
        let ours = environment.keys.filter { $0.hasPrefix(KnownSetting.variablePrefix) }.sorted()
        for name in ours where !known.contains(name) {
            let rest = name.dropFirst(KnownSetting.variablePrefix.count)
            let place = ConfigurationPlace(origin: .environment(name), keyPath: "")
            let nearest = NearestName.nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
            if rest == "SERVER_TLS" || rest.hasPrefix("SERVER_TLS_") {
                faults.fault(place, TLS.unknownVariable + nearest)
            } else if !isSetByKubernetes(rest) {
                faults.warning(place, "is not a variable of offer-signer and has no effect\(nearest)")
            }
        }
    }

    /// Whether Kubernetes sets the variable for a Service called `offer-signer`, or one whose name begins like that
    /// ("Accessing the Service", environment variables).
    private static func isSetByKubernetes(_ rest: Substring) -> Bool {
        if rest == "PORT" || rest.hasPrefix("PORT_") || rest.hasPrefix("SERVICE_") { return true }
        if rest.contains("_SERVICE_HOST") || rest.contains("_SERVICE_PORT") { return true }
        return rest.contains(/_PORT_[0-9]+_(TCP|UDP|SCTP)/)
    }
}
