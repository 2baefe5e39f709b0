import OfferService
package import Offers
import StrictJSON

/// `POST /v1/diagnoses`.
extension PublicEndpoints {
    /// Finds out why StoreKit refused a signature, or gave no offer for one.
    func diagnosis(_ request: Request, _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let call: DiagnosisCall
        do {
            call = try DiagnosisCall(json: request.body, onlyApp: client.apps.count == 1 ? client.apps.first : nil)
        } catch {
            throw Problem(error)
        }
        return .later { [diagnoseReports] () async throws(Problem) in
            let diagnosis: Diagnosis?
            do throws(EvidenceFault) {
                diagnosis = try await call.diagnosis(by: diagnoseReports, callersApps: client.apps)
            } catch {
                throw Problem(status: 422, code: error.code, detail: error.detail, pointer: "/resultingTransaction")
            }
            guard let diagnosis else { throw .appNotAllowed }
            return Reply(diagnosis.json)
        }
    }
}

extension Diagnosis {
    /// The answer of `POST /v1/diagnoses`.
    package var json: [UInt8] {
        JSONWriter.text { answer in
            answer.flag("valid", isValid)
            answer.objects("causes", causes) { cause, member in
                member.member("code", cause.code.rawValue)
                member.member("detail", cause.detail)
                member.member("fix", cause.fix)
            }
        }
    }
}
