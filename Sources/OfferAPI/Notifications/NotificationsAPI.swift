import HTTPTypes
package import Logging
import NIOHTTP1
package import OfferService
package import Offers

/// The calls of Apple, on a listener of its own: it is open to the Internet and knows no client.
package enum NotificationsAPI {
    /// Notifications at once; more are put off, so that strangers cannot occupy all of the machine.
    package static let mostAtOnce = 32
    /// Bytes of a body; Apple's have some ten thousand.
    static let maximumBodyBytes = 1 << 17

    /// The calls, each answered by the configuration in use.
    ///
    /// Notifications and calls have bounds of their own: however many of the one kind there are, the other is answered.
    package static func calls(
        notifications: @escaping @Sendable () -> TakeNotifications<some NotificationReader>,
        retention: @escaping @Sendable () -> AnswerRetentionCalls,
        logger: Logger,
        faults: RepeatedFaults
    ) -> [Call] {
        let permits = Permits(mostAtOnce)
        return [
            Call(.POST, "/v1/notifications") { (body) async throws(Problem) in
                let useCase = notifications()
                guard permits.acquire() else { throw .tooManyNotifications }
                defer { permits.release() }
                do throws(Problem) {
                    let taken = try await useCase.receive(body: body)
                    logger.debug(
                        "notification",
                        metadata: ["type": "\(taken.type)", "outcome": "\(taken.outcome.rawValue)"]
                    )
                    return Reply(200, [:], [])
                } catch {
                    faults.log("notification not taken", error)
                    throw error
                }
            },
            Call(.POST, "/v1/retention-messages") { (body) async throws(Problem) in
                do throws(Problem) {
                    let reply = try await retention().answer(body)
                    logger.debug(
                        "retention message",
                        metadata: ["answer": "\(reply.kind.rawValue)", "repeated": "\(reply.isRepeated)"]
                    )
                    return Reply(reply.body)
                } catch {
                    faults.log("no retention message", error)
                    throw error
                }
            },
        ]
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
