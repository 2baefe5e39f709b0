import Offers

/// A request to App Store Connect that came to nothing: why, and the fix.
package struct AppStoreConnectFault: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether App Store Connect does not have the resource that was asked for.
    private(set) var isNotThere = false

    init(_ description: String) { self.description = description }

    /// A refusal; `isTeams` is whether the token named an issuer, as it does for a team's key.
    init(_ response: IncomingResponse, of path: String, key: String, isTeams: Bool, at now: Timestamp) {
        let error = ConnectRefusal(json: response.body)
        let said = [String(response.status), error?["code"]].compactMap(\.self).joined(separator: " ")
        switch response.status {
        case 401 where response.clockFault(at: now) != nil:
            self.init("App Store Connect refuses the token (\(said)): \(response.clockFault(at: now) ?? "")")
        case 401:
            let issuer =
                isTeams
                ? "The issuer id has to be the one above the team's keys; for an individual key, leave --issuer-id out"
                : "A team's key needs --issuer-id, the id above the keys; only an individual key has none"
            self.init(
                "App Store Connect refuses the key \(key) (\(said)): it has to be a key of the App Store Connect API "
                    + "(Users and Access, Integrations, App Store Connect API), as the In-App Purchase key that signs "
                    + "offers does not work here. \(issuer). See also that it is not revoked, and that the file's name "
                    + "has its own id"
            )
        case 403 where error?["code"]?.hasPrefix("FORBIDDEN.REQUIRED_AGREEMENTS") == true:
            self.init(
                "App Store Connect answers nobody of this team until its account holder has signed a new agreement "
                    + "(\(said)): sign it in App Store Connect, under Business. The key is not at fault"
            )
        case 403:
            self.init(
                "the role of the key \(key) may not read subscriptions (\(said)): make a key with the role App Manager"
            )
        case 404 where error?["code"] == "PATH_ERROR":
            self.init(
                "App Store Connect does not know the path (\(said)): correct --app-store-connect-url, its address alone"
            )
        case 404:
            let place = path.prefix { $0 != "?" }
            self.init("App Store Connect does not have \(place) (\(said)): was it removed just now? Try again")
            isNotThere = true
        case 429:
            self.init(
                "App Store Connect was asked too often (\(said)): a key has 3600 requests an hour, for all that use it; "
                    + "try again later, or make a key for this command alone"
            )
        case 500...: self.init("App Store Connect has a fault (\(said)); try again later")
        default: self.init("App Store Connect refuses the request (\(said))\(error?["detail"].map { ": \($0)" } ?? "")")
        }
    }
}
