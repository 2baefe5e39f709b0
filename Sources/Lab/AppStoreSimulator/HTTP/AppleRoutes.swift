import HTTPTypes
import Hummingbird
import Offers
import StrictJSON

/// Apple's routes in one environment: production at the root, the sandbox under `/sandbox`.
struct AppleRoutes {
    let store: SimulatedAppStore
    let environment: AppStoreEnvironment

    func add(to router: some RouterMethods<SimulatorContext>) {
        let receipts = router.group("verifyReceipt")
            .add(middleware: FaultMiddleware(store: store, target: .verifyReceipt, environment: environment))
        receipts.post { request, context in
            let body = try await request.bytes(context)
            let answer = VerifyReceiptAnswer.answer(body, in: environment, world: store.current(), signer: store.signer)
            return Response.json(answer)
        }
        receipts.get { _, _ in Response.json(VerifyReceiptAnswer.status(21000)) }
        let api = router.group("inApps")
            .add(middleware: FaultMiddleware(store: store, target: .serverAPI, environment: environment))
        RetentionRoutes(store: store, environment: environment).add(
            to: api.group("v1/messaging")
                .add(middleware: FaultMiddleware(store: store, target: .retention, environment: environment))
        )
        addTransactions(to: api)
        addNotifications(to: api)
    }

    private func addTransactions(to api: RouterGroup<SimulatorContext>) {
        api.get("v1/subscriptions/:id") { request, context in
            try answer(request) { api in
                let statuses = request.uri.queryParameters.getAll("status")
                return try api.subscriptionStatuses(try context.parameters.require("id"), statuses: statuses)
            }
        }
        api.get("v1/transactions/:id") { request, context in
            try answer(request) { try $0.transactionInfo(try context.parameters.require("id")) }
        }
        // Version 1 is deprecated, and what Apple's libraries ask by default.
        for version in ["v1", "v2"] {
            api.get("\(version)/history/:id") { try history($0, $1) }
        }
    }

    private func history(_ request: Request, _ context: SimulatorContext) throws -> Response {
        try answer(request) { api in
            let query = request.uri.queryParameters
            let (revision, sort) = (query["revision"].map(String.init), query["sort"].map(String.init))
            let filter = try HistoryFilter(query.map { (String($0.key), String($0.value)) })
            let id = try context.parameters.require("id")
            return try api.history(id, revision: revision, sort: sort, filter: filter)
        }
    }

    private func addNotifications(to api: RouterGroup<SimulatorContext>) {
        api.post("v1/notifications/test") { request, _ in
            try answer(request) { api in try requestTestNotification(for: api.app) }
        }
        api.get("v1/notifications/test/:token") { request, context in
            try answer(request) { try history(of: $0).test(try context.parameters.require("token")) }
        }
        api.post("v1/notifications/history") { request, context in
            let body = try await request.bytes(context)
            let token = request.uri.queryParameters["paginationToken"].map(String.init)
            return try answer(request) { try history(of: $0).page(body, token: token) }
        }
    }

    private func history(of api: ServerAPI) -> NotificationHistory {
        NotificationHistory(notifications: api.world.notifications(of: api.app.bundleId, in: environment))
    }

    private func requestTestNotification(for app: StoreApp) throws -> [UInt8] {
        guard app.notificationURL != nil else { throw ServerAPIError.notificationURLNotFound }
        let signer = store.signer
        let id = store.change { world in
            let event = StoreEvent(.test, at: world.clock.now, nil)
            let notification = StoreNotification(event, app: app, environment: environment, signer: signer)
            world.notifications.append(notification)
            return notification.id
        }
        return JSONWriter.text { $0.member("testNotificationToken", id) }
    }

    /// Answers a call of the Server API when its token is right; Apple's 401 is not JSON.
    private func answer(_ request: Request, _ body: (ServerAPI) throws -> [UInt8]) throws -> Response {
        let world = store.current()
        guard let app = world.caller(of: request) else { return .unauthenticated }
        return .json(try body(ServerAPI(app: app, environment: environment, world: world, signer: store.signer)))
    }
}
