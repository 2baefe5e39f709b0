import OfferService
import Offers
import StrictJSON

/// `POST /v1/diagnoses`, without the transport.
struct DiagnosesEndpoint: BodyEndpoint {
    private let clients: ClientDirectory
    private let diagnoseReports: DiagnoseReports

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - diagnoseReports: The use case behind it.
    init(clients: ClientDirectory, diagnoseReports: DiagnoseReports) {
        self.clients = clients
        self.diagnoseReports = diagnoseReports
    }

    func admit(_ head: RequestHead) throws(Problem) -> Client {
        try clients.admitJSON(head, for: .diagnose)
    }

    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8] {
        let call: DiagnosisCall
        do {
            call = try DiagnosisCall(json: body, onlyApp: client.apps.count == 1 ? client.apps.first : nil)
        } catch {
            throw Problem(error)
        }
        let diagnosis: Diagnosis?
        do throws(EvidenceFault) {
            diagnosis = try await call.diagnosis(by: diagnoseReports, callersApps: client.apps, client: client.name)
        } catch {
            throw Problem(status: 422, code: error.code, detail: error.detail, pointer: "/resultingTransaction")
        }
        guard let diagnosis else { throw .appNotAllowed(call.bundleId) }
        return diagnosis.json
    }
}
