import Foundation
import HTTPTypes
import Hummingbird
import Offers
import StrictJSON

/// Apple's set-up calls of the Retention Messaging API in one environment.
struct RetentionRoutes {
    private static let longestURL = 256

    let store: SimulatedAppStore
    let environment: AppStoreEnvironment

    func add(to router: RouterGroup<SimulatorContext>) {
        addURL(to: router)
        addMessages(to: router)
        addDefaults(to: router)
        // Apple's production has none of these.
        if environment == .sandbox { addTests(to: router) }
    }

    private func addURL(to router: RouterGroup<SimulatorContext>) {
        router.put("realtime/url") { request, context in
            let body = try await request.bytes(context)
            return try change(request) { app in
                guard let text = try? RequestMembers(json: body).requiredString("realtimeURL"),
                    text.unicodeScalars.count <= Self.longestURL, let url = StoreApp.notificationURL(text),
                    url.scheme?.lowercased() == "https"
                else { throw ServerAPIError.invalidRealtimeURL }
                guard environment == .sandbox || app.retention.hasPassedTest else { throw ServerAPIError.noPassingTest }
                app.retention[environment].url = url
            }
        }
        router.get("realtime/url") { request, _ in
            try read(request) { app in
                guard let url = app.retention[environment].url else { throw ServerAPIError.realtimeURLNotFound }
                return JSONWriter.text { $0.member("realtimeURL", url.absoluteString) }
            }
        }
        router.delete("realtime/url") { request, _ in
            try change(request) { app in
                guard app.retention[environment].url != nil else { throw ServerAPIError.realtimeURLNotFound }
                app.retention[environment].url = nil
            }
        }
    }

    private func addMessages(to router: RouterGroup<SimulatorContext>) {
        router.get("message/list") { request, _ in
            try read(request) { app in
                JSONWriter.text { json in
                    json.objects("messageIdentifiers", app.retention[environment].messages) { message, json in
                        json.member("messageIdentifier", message.id)
                        json.member("messageState", message.state.rawValue)
                    }
                }
            }
        }
        router.put("message/:id") { request, context in
            let body = try await request.bytes(context)
            let id = try identifier(context)
            return try change(request) { app in
                guard app.retention[environment].message(id) == nil else { throw ServerAPIError.messageAlreadyExists }
                let state: StoreMessage.State = app.retention.settings.approvesMessages ? .approved : .pending
                app.retention[environment].messages.append(try StoreMessage(json: body, id: id, state: state))
            }
        }
        router.delete("message/:id") { request, context in
            let id = try identifier(context)
            return try change(request) { app in
                guard app.retention[environment].message(id) != nil else { throw ServerAPIError.messageNotFound }
                app.retention[environment].messages.removeAll { $0.id == id }
            }
        }
    }

    private func addDefaults(to router: RouterGroup<SimulatorContext>) {
        router.put("default/:product/:locale") { request, context in
            let body = try await request.bytes(context)
            let place = try place(context)
            return try change(request) { app in
                guard let text = try? RequestMembers(json: body).requiredString("messageIdentifier"),
                    let message = app.retention[environment].message(text.lowercased())
                else { throw ServerAPIError.messageNotFound }
                guard app.product(place.productId) != nil else { throw ServerAPIError.invalidProductId }
                guard message.state == .approved else { throw ServerAPIError.messageNotApproved }
                app.retention[environment].defaults[place] = message.id
            }
        }
        router.get("default/:product/:locale") { request, context in
            let place = try place(context)
            return try read(request) { app in
                guard let id = app.retention[environment].defaults[place] else {
                    throw ServerAPIError.defaultMessageNotFound
                }
                return JSONWriter.text { $0.member("messageIdentifier", id) }
            }
        }
        router.delete("default/:product/:locale") { request, context in
            let place = try place(context)
            return try change(request) { app in
                guard app.retention[environment].defaults.removeValue(forKey: place) != nil else {
                    throw ServerAPIError.defaultMessageNotFound
                }
            }
        }
    }

    private func addTests(to router: RouterGroup<SimulatorContext>) {
        router.post("performanceTest") { request, context in
            let body = try await request.bytes(context)
            guard let bundleId = store.current().caller(of: request)?.bundleId else { return Response.unauthenticated }
            return try store.change { world in
                guard let id = try? RequestMembers(json: body).requiredString("originalTransactionId") else {
                    throw ServerAPIError.invalidPerformanceTest
                }
                guard let question = try? RetentionQuestion(about: id, in: "en-US", world),
                    question.app.bundleId == bundleId, question.customer.environment == environment
                else { throw ServerAPIError.invalidOriginalTransactionId }
                guard let url = question.setup.url else { throw ServerAPIError.invalidPerformanceTest }
                guard !world.performanceTests.contains(where: { $0.bundleId == bundleId && $0.result == "PENDING" })
                else {
                    throw ServerAPIError.existingPerformanceTest
                }
                let test = PerformanceTest(
                    id: UUID().uuidString.lowercased(),
                    bundleId: bundleId,
                    originalTransactionId: id,
                    target: url,
                    settings: question.app.retention.settings
                )
                world.performanceTests.append(test)
                return Response.json(test.started)
            }
        }
        router.get("performanceTest/result/:id") { request, context in
            let id = try context.parameters.require("id")
            return try read(request) { app in
                let tests = store.current().performanceTests
                guard let test = tests.first(where: { $0.id == id && $0.bundleId == app.bundleId }) else {
                    throw ServerAPIError.performanceTestNotFound
                }
                return test.json
            }
        }
    }

    private func identifier(_ context: SimulatorContext) throws -> String {
        guard let id = UUID(uuidString: try context.parameters.require("id")) else { throw ServerAPIError.badRequest }
        return id.uuidString.lowercased()
    }

    private func place(_ context: SimulatorContext) throws -> RetentionMessaging.Place {
        let locale = try context.parameters.require("locale")
        guard locale.wholeMatch(of: /[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*/) != nil else {
            throw ServerAPIError.invalidLocale
        }
        let product = try context.parameters.require("product")
        return RetentionMessaging.Place(productId: product.removingPercentEncoding ?? product, locale: locale)
    }

    private func read(_ request: Request, _ body: (StoreApp) throws -> [UInt8]) throws -> Response {
        guard let app = store.current().caller(of: request) else { return Response.unauthenticated }
        return .json(try body(app))
    }

    /// Changes what the caller's app has set up; Apple's answer has no body.
    private func change(_ request: Request, _ change: (inout StoreApp) throws -> Void) throws -> Response {
        guard let bundleId = store.current().caller(of: request)?.bundleId else { return Response.unauthenticated }
        return try store.change { world in
            _ = try world.changeApp(bundleId, change)
            return Response(status: .ok)
        }
    }
}

extension AppStoreWorld {
    /// The app in whose name a call of the Server API is made; `nil` where its token is not right.
    func caller(of request: Request) -> StoreApp? {
        let field = request.headers[.authorization] ?? ""
        guard field.hasPrefix("Bearer ") else { return nil }
        let token = String(field.dropFirst("Bearer ".count))
        return ServerAPIToken.app(named: token, among: apps, at: SimulatedClock.machine)
    }
}

extension Response {
    /// Apple's 401, which is not JSON.
    static var unauthenticated: Response {
        .text("Unauthenticated\n\nRequest ID: SIMULATOR.0.0\n", status: .unauthorized)
    }
}
