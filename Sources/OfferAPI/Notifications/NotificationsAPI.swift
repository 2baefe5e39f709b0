import HTTPTypes
public import Hummingbird
public import Logging
import NIOHTTP1
import OfferService
public import Offers
import Synchronization

/// The route that Apple calls: on a listener of its own, as it is open to the Internet and knows no client.
public enum NotificationsAPI {
    /// How many notifications are taken at once; more are put off, so that strangers cannot take all of the machine.
    public static let mostAtOnce = 32
    /// How many bytes a body may have: Apple's have some ten thousand.
    static let maximumBodyBytes = 1 << 17
    /// The paths that it answers.
    static let methods: [String: HTTPMethod] = ["/v1/notifications": .POST]

    /// Builds the responder of the notifications listener.
    ///
    /// - Parameters:
    ///   - endpoint: What the configuration in use answers with.
    ///   - logger: Where what was refused is logged.
    /// - Returns: The responder.
    public static func responder(
        endpoint: @escaping @Sendable () -> NotificationsEndpoint<some NotificationReader>,
        logger: Logger
    ) -> some HTTPResponder<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: ProblemMiddleware(logger: logger))
        let places = Places(mostAtOnce)
        router.post("/v1/notifications") { request, _ in
            let endpoint = endpoint()
            // The connection has found it to be short enough.
            let body = Array(try await request.body.collect(upTo: .max).readableBytesView)
            guard places.take() else { throw Problem.tooManyNotifications }
            defer { places.giveBack() }
            do throws(Problem) {
                let taken = try await endpoint.take(body)
                logger.debug("notification", metadata: ["type": "\(taken.notification.type)"])
                return Response(status: .ok, headers: [:], bytes: [])
            } catch {
                let message: Logger.Message = "notification not taken"
                let level: Logger.Level = error.status >= 500 ? .error : .notice
                logger.log(level: level, message, metadata: ["code": "\(error.code)", "detail": "\(error.detail)"])
                throw error
            }
        }
        return router.buildResponder()
    }

    /// A bounded number of places.
    private final class Places: Sendable {
        private let free: Atomic<Int>

        init(_ count: Int) { free = Atomic(count) }

        func take() -> Bool {
            let left = free.subtract(1, ordering: .relaxed).newValue
            if left >= 0 { return true }
            free.add(1, ordering: .relaxed)
            return false
        }

        func giveBack() { free.add(1, ordering: .relaxed) }
    }
}
