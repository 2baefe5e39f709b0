import OfferService
import Offers
import StrictJSON

/// `POST /v1/diagnoses`.
extension PublicEndpoints {
    /// Finds out why StoreKit refused a signature.
    func diagnosis(_ body: [UInt8], _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let report: SignatureReport
        do {
            report = try SignatureReport(json: body, onlyApp: client.apps.count == 1 ? client.apps.first : nil)
        } catch {
            throw Problem(error)
        }
        return .later { [diagnoseReports] () async throws(Problem) in
            let diagnosis = await diagnoseReports.diagnose(report, callersApps: client.apps, client: client.name)
            guard let diagnosis else { throw .appNotAllowed(report.bundleId) }
            return Reply(diagnosis.json)
        }
    }
}
