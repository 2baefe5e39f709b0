import HTTPTypes
package import Hummingbird
package import Logging
import NIOHTTP1
import OfferService
package import Offers

/// The routes that Apple calls, on a listener of its own: it is open to the Internet and knows no client.
package enum NotificationsAPI {
    /// Notifications at once; more are put off, so that strangers cannot occupy all of the machine.
    package static let mostAtOnce = 32
    /// Bytes of a body; Apple's have some ten thousand.
    static let maximumBodyBytes = 1 << 17
    static let methods: [String: HTTPMethod] = ["/v1/notifications": .POST, "/v1/retention-messages": .POST]

    /// Builds the responder of Apple's listener, with the endpoints of the configuration in use.
    ///
    /// Notifications and calls have bounds of their own: however many of the one kind there are, the other is answered.
    package static func responder(
        endpoint: @escaping @Sendable () -> NotificationsEndpoint<some NotificationReader>,
        retention: @escaping @Sendable () -> RetentionEndpoint,
        logger: Logger,
        faults: RepeatedFaults
    ) -> some HTTPResponder<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: ProblemMiddleware(logger: logger))
        let permits = Permits(mostAtOnce)
        router.post("/v1/notifications") { request, _ in
            let endpoint = endpoint()
            // The connection has found it to be short enough.
            let body = Array(try await request.body.collect(upTo: .max).readableBytesView)
            guard permits.acquire() else { throw Problem.tooManyNotifications }
            defer { permits.release() }
            do throws(Problem) {
                let taken = try await endpoint.take(body)
                logger.debug(
                    "notification",
                    metadata: ["type": "\(taken.type)", "outcome": "\(taken.outcome.rawValue)"]
                )
                return Response(status: .ok, headers: [:], bytes: [])
            } catch {
                faults.log("notification not taken", error)
                throw error
            }
        }
        router.post("/v1/retention-messages") { request, _ in
            let endpoint = retention()
            let body = Array(try await request.body.collect(upTo: .max).readableBytesView)
            do throws(Problem) {
                let reply = try await endpoint.answer(body)
                logger.debug(
                    "retention message",
                    metadata: ["answer": "\(reply.kind.rawValue)", "repeated": "\(reply.isRepeated)"]
                )
                return Response(status: .ok, headers: [.contentType: "application/json"], bytes: reply.body)
            } catch {
                faults.log("no retention message", error)
                throw error
            }
        }
        return router.buildResponder()
    }
}

extension RepeatedFaults {
    /// Logs why Apple, or a stranger, got no answer: as an error where the service is at fault.
    fileprivate func log(_ message: String, _ problem: Problem) {
        var metadata: Logger.Metadata = ["detail": "\(problem.detail)"]
        if let reason = problem.reason { metadata["reason"] = "\(reason)" }
        // For an app outside the catalog it is not: anybody can give Apple the service's address.
        let isOurs = problem.status >= 500 && problem.code != SignedDataFault.Code.otherApp.rawValue
        let level: Logger.Level = isOurs ? .error : problem.status == 404 ? .info : .notice
        log(Kind(level: level, message: message, name: "code", value: problem.code), metadata)
    }
}
