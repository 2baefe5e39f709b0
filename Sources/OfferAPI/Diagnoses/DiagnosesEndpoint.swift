import HTTPTypes
public import OfferService
public import Offers
import StrictJSON

/// `POST /v1/diagnoses`, without the transport.
public struct DiagnosesEndpoint<Verifier: SignatureVerifier>: Sendable {
    private let clients: ClientDirectory
    private let diagnoseReports: DiagnoseReports<Verifier>

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - diagnoseReports: The use case behind it.
    public init(clients: ClientDirectory, diagnoseReports: DiagnoseReports<Verifier>) {
        self.clients = clients
        self.diagnoseReports = diagnoseReports
    }

    /// Decides by the head alone whether the body is worth reading.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403 or 415.
    func admit(_ head: HTTPRequest) throws(Problem) -> Client {
        try clients.admitJSON(head, for: .diagnose)
    }

    /// Diagnoses a report about one of the client's apps.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400 or 403.
    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8] {
        let report: SignatureReport
        do {
            report = try SignatureReport(json: body, onlyApp: client.apps.count == 1 ? client.apps.first : nil)
        } catch {
            throw Problem(error)
        }
        let diagnosis = await diagnoseReports.diagnose(report, callersApps: client.apps, client: client.name)
        guard let diagnosis else {
            throw .appNotAllowed(report.bundleId)
        }
        return diagnosis.json
    }
}
