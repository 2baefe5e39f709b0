import EvidenceRecognition
import OfferService
import Offers
import StrictJSON

/// `POST /v1/notifications`, without the transport.
extension TakeNotifications {
    /// Receives a notification from a body, whose other members are ignored; throws 400, 422 or 503.
    func receive(body: [UInt8]) async throws(Problem) -> TakenNotification {
        let signedPayload: String
        do throws(JSONFault) {
            signedPayload = try SignedPayload.read(body, of: "A notification")
        } catch {
            throw Problem(error)
        }
        do throws(NotificationRefusal) {
            return try await receive(signedPayload)
        } catch {
            throw Problem(error)
        }
    }
}

/// The body that Apple sends: one JWS in an object.
enum SignedPayload {
    /// Reads the JWS, and ignores other members; `thing` names the body in a fault.
    static func read(_ body: [UInt8], of thing: String) throws(JSONFault) -> String {
        var payload: String?
        var reader = JSONReader(body)
        try reader.readObject { (name, reader) throws(JSONFault) in
            if name == "signedPayload" { payload = try reader.readString() } else { try reader.skipValue() }
        }
        try reader.readEnd()
        guard let payload else {
            let found = RecognisedContent(json: body)?.detail(in: .signedPayload)
            throw JSONFault(.missingMember, found ?? "\(thing) has a signedPayload.")
                .inside(member: "signedPayload")
        }
        return payload
    }
}

extension Problem {
    init(_ refusal: NotificationRefusal) {
        switch refusal {
        case .notTaken(let fault):
            self.init(
                status: 422,
                code: fault.code.rawValue,
                detail: fault.detail,
                pointer: "/signedPayload"
            )
        case .unknownApp(let bundleId):
            self.init(
                status: 503,
                code: SignedDataFault.Code.otherApp.rawValue,
                detail: "The notification is for \(bundleId), which is not in the catalog. If the app is to be there: "
                    + "put it into the catalog, and reload, before Apple sends the notification again.",
                pointer: "/signedPayload",
                retryAfterSeconds: 60
            )
        case .notKept:
            self.init(
                status: 503,
                code: "store_unavailable",
                detail: "The notification cannot be kept now. Send it again.",
                retryAfterSeconds: 60
            )
        }
    }

    static let tooManyNotifications = Problem(
        status: 503,
        code: "too_many_requests_at_once",
        detail: "As many notifications as can be are being taken. Send it again.",
        retryAfterSeconds: 60
    )
}
