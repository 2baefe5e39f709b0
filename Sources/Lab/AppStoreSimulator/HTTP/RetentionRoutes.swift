import Foundation
import HTTPTypes
import Hummingbird
import Offers
import StrictJSON

/// Apple's set-up calls of the Retention Messaging API in one environment.
struct RetentionRoutes {
    /// The caller's part of a call.
    private struct Call {
        let parameters: Parameters
        let query: Parameters
        let body: [UInt8]

        /// The identifier in the path, a UUID, in lowercase.
        func id() throws -> String {
            guard let id = UUID(uuidString: try parameters.require("id")) else { throw ServerAPIError.badRequest }
            return id.uuidString.lowercased()
        }

        /// The product and locale in the path.
        func place() throws -> RetentionMessaging.Place {
            let (product, locale) = (try parameters.require("product"), try parameters.require("locale"))
            guard locale.wholeMatch(of: /[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*/) != nil else {
                throw ServerAPIError.invalidLocale
            }
            return RetentionMessaging.Place(productId: product.removingPercentEncoding ?? product, locale: locale)
        }

        /// A text of the body.
        func text(_ member: String) -> String? { try? RequestMembers(json: body).requiredString(member) }
    }

    let store: SimulatedAppStore
    let environment: AppStoreEnvironment

    func add(to router: RouterGroup<SimulatorContext>) {
        addURL(to: router)
        addMessages(to: router)
        addImages(to: router)
        addDefaults(to: router)
        // Apple's production has none of these.
        if environment == .sandbox { addTests(to: router) }
    }

    private func addURL(to router: RouterGroup<SimulatorContext>) {
        let path: RouterPath = "realtime/url"
        on(path, .put, router) { app, call in
            guard let text = call.text("realtimeURL"), text.unicodeScalars.count <= 256,
                let url = StoreApp.notificationURL(text), url.scheme?.lowercased() == "https"
            else { throw ServerAPIError.invalidRealtimeURL }
            guard environment == .sandbox || app.retention.hasPassedTest else { throw ServerAPIError.noPassingTest }
            app.retention[environment].url = url
            return nil
        }
        on(path, .get, router) { app, _ in
            guard let url = app.retention[environment].url else { throw ServerAPIError.realtimeURLNotFound }
            return JSONWriter.text { $0.member("realtimeURL", url.absoluteString) }
        }
        on(path, .delete, router) { app, _ in
            guard app.retention[environment].url != nil else { throw ServerAPIError.realtimeURLNotFound }
            app.retention[environment].url = nil
            return nil
        }
    }

    private func addMessages(to router: RouterGroup<SimulatorContext>) {
        on("message/list", .get, router) { app, _ in
            JSONWriter.text { json in
                json.objects("messageIdentifiers", app.retention[environment].messages) { message, json in
                    json.member("messageIdentifier", message.id)
                    json.member("messageState", message.state.rawValue)
                }
            }
        }
        on("message/:id", .put, router) { app, call in
            let (id, setup) = (try call.id(), app.retention[environment])
            guard setup.message(id) == nil else { throw ServerAPIError.messageAlreadyExists }
            let message = try StoreMessage(json: call.body, id: id)
            guard message.images.allSatisfy({ setup.image($0) != nil }) else { throw ServerAPIError.imageNotFound }
            app.retention[environment].messages.append(message)
            return nil
        }
        on("message/:id", .delete, router) { app, call in
            let id = try call.id()
            guard app.retention[environment].message(id) != nil else { throw ServerAPIError.messageNotFound }
            app.retention[environment].messages.removeAll { $0.id == id }
            return nil
        }
    }

    private func addImages(to router: RouterGroup<SimulatorContext>) {
        on("image/list", .get, router) { app, _ in
            JSONWriter.text { json in
                json.objects("imageIdentifiers", app.retention[environment].images) { image, json in
                    json.member("imageIdentifier", image.id)
                    json.member("imageState", image.state.rawValue)
                    json.member("imageSize", image.size.rawValue)
                }
            }
        }
        on("image/:id", .put, router) { app, call in
            let id = try call.id()
            guard app.retention[environment].image(id) == nil else { throw ServerAPIError.imageAlreadyExists }
            guard let size = StoreImage.Size(rawValue: String(call.query["imageSize"] ?? "FULL_SIZE")) else {
                throw ServerAPIError.invalidImageSize
            }
            guard call.body.starts(with: StoreImage.beginning) else { throw ServerAPIError.invalidImage }
            app.retention[environment].images.append(StoreImage(id: id, size: size))
            return nil
        }
        on("image/:id", .delete, router) { app, call in
            let (id, setup) = (try call.id(), app.retention[environment])
            guard setup.image(id) != nil else { throw ServerAPIError.imageNotFound }
            guard !setup.messages.contains(where: { $0.images.contains(id) }) else { throw ServerAPIError.imageInUse }
            app.retention[environment].images.removeAll { $0.id == id }
            return nil
        }
    }

    private func addDefaults(to router: RouterGroup<SimulatorContext>) {
        let path: RouterPath = "default/:product/:locale"
        on(path, .put, router) { app, call in
            let (place, setup) = (try call.place(), app.retention[environment])
            guard let message = call.text("messageIdentifier").flatMap({ setup.message($0.lowercased()) }) else {
                throw ServerAPIError.messageNotFound
            }
            guard app.product(place.productId) != nil else { throw ServerAPIError.invalidProductId }
            guard message.state == .approved else { throw ServerAPIError.messageNotApproved }
            guard message.images.allSatisfy({ setup.image($0)?.state == .approved }) else {
                throw ServerAPIError.imageNotApproved
            }
            app.retention[environment].defaults[place] = message.id
            return nil
        }
        on(path, .get, router) { app, call in
            guard let id = app.retention[environment].defaults[try call.place()] else {
                throw ServerAPIError.defaultMessageNotFound
            }
            return JSONWriter.text { $0.member("messageIdentifier", id) }
        }
        on(path, .delete, router) { app, call in
            guard app.retention[environment].defaults.removeValue(forKey: try call.place()) != nil else {
                throw ServerAPIError.defaultMessageNotFound
            }
            return nil
        }
    }

    private func addTests(to router: RouterGroup<SimulatorContext>) {
        answer("performanceTest", .post, router) { world, bundleId, call in
            guard let id = call.text("originalTransactionId") else { throw ServerAPIError.invalidPerformanceTest }
            guard let question = try? RetentionQuestion(about: id, in: "en-US", world),
                question.app.bundleId == bundleId, question.customer.environment == environment
            else { throw ServerAPIError.invalidOriginalTransactionId }
            guard let url = question.setup.url else { throw ServerAPIError.invalidPerformanceTest }
            guard !world.performanceTests.contains(where: { $0.bundleId == bundleId && $0.result == "PENDING" }) else {
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
            return test.started
        }
        answer("performanceTest/result/:id", .get, router) { world, bundleId, call in
            let id = try call.parameters.require("id")
            guard let test = world.performanceTests.first(where: { $0.id == id && $0.bundleId == bundleId }) else {
                throw ServerAPIError.performanceTestNotFound
            }
            return test.json
        }
    }

    /// Adds a call that reads or changes what the caller's app has set up.
    private func on(
        _ path: RouterPath,
        _ method: HTTPRequest.Method,
        _ router: RouterGroup<SimulatorContext>,
        _ work: @escaping @Sendable (inout StoreApp, Call) throws -> [UInt8]?
    ) {
        answer(path, method, router) { world, bundleId, call in
            var answer: [UInt8]?
            _ = try world.changeApp(bundleId) { app in answer = try work(&app, call) }
            return answer
        }
    }

    /// Adds a call in an app's name; Apple's answer to one that changes something has no body.
    private func answer(
        _ path: RouterPath,
        _ method: HTTPRequest.Method,
        _ router: RouterGroup<SimulatorContext>,
        _ work: @escaping @Sendable (inout AppStoreWorld, _ bundleId: String, Call) throws -> [UInt8]?
    ) {
        router.on(path, method: method) { request, context in
            let body = try await request.bytes(context)
            let call = Call(parameters: context.parameters, query: request.uri.queryParameters, body: body)
            return try store.change { world in
                guard let bundleId = world.caller(of: request)?.bundleId else { return Response.unauthenticated }
                return try work(&world, bundleId, call).map { Response.json($0) } ?? Response(status: .ok)
            }
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
