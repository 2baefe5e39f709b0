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
}
