import Offers
import StrictJSON

extension Client {
    /// The app that a call is for: as it says, or the client's only one.
    ///
    /// - Parameter bundleId: The app that the call names; `nil` when it names none.
    /// - Returns: The app's bundle identifier.
    /// - Throws: `Problem` 403 for another's app, 400 when the client has several and the call names none.
    func app(named bundleId: String?) throws(Problem) -> String {
        if let bundleId {
            guard let index = apps.firstIndex(of: bundleId), apps[index].hasSameBytes(as: bundleId) else {
                throw .appNotAllowed(bundleId)
            }
            return bundleId
        }
        guard apps.count == 1, let only = apps.first else {
            throw Problem(
                JSONFault(.missingMember, "This client may ask for several apps; name one.").inside(member: "bundleId")
            )
        }
        return only
    }

    /// The app that a call is for by the parameters of its URL: the one that they name, or the client's only one.
    ///
    /// - Parameter parameters: The parameters.
    /// - Returns: The app's bundle identifier.
    /// - Throws: `Problem` as above, which points into no body.
    func app(namedIn parameters: QueryParameters) throws(Problem) -> String {
        let bundleId = try parameters.value(of: "bundleId")
        guard bundleId != nil || apps.count == 1 else {
            throw .invalidParameter(
                "The parameter bundleId is missing: this client may ask for several apps; name one."
            )
        }
        do throws(Problem) {
            return try app(named: bundleId)
        } catch {
            throw Problem(status: error.status, code: error.code, detail: error.detail)
        }
    }
}
