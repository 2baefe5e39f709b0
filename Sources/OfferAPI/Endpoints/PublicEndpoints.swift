import NIOCore
package import OfferService
import Offers
import StrictJSON

/// All calls of clients, by one configuration.
///
/// A request keeps the endpoints that it began with, so that a reload changes nothing within a request.
package final class PublicEndpoints: Sendable {
    /// How many offers are decided before the event loop looks after its connections again.
    static let offersPerTick = 256

    /// Who may call.
    package let clients: ClientDirectory
    /// Decides and signs.
    let signOffers: SignOffers
    /// Takes and gives what StoreKit shows.
    let productReports: ProductReports
    /// Finds out why StoreKit refused a signature.
    let diagnoseReports: DiagnoseReports

    /// Puts the use cases behind their routes.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: Decides and signs.
    ///   - productReports: Takes and gives what StoreKit shows.
    ///   - diagnoseReports: Finds out why StoreKit refused a signature.
    package init(
        clients: ClientDirectory,
        signOffers: SignOffers,
        productReports: ProductReports,
        diagnoseReports: DiagnoseReports
    ) {
        self.clients = clients
        self.signOffers = signOffers
        self.productReports = productReports
        self.diagnoseReports = diagnoseReports
    }

    /// Answers the requests of one tick, some of them later.
    ///
    /// It stops after ``offersPerTick`` offers, so that the event loop can serve its other connections.
    ///
    /// - Returns: How many were answered or will be: the first ones, at least one.
    func answer(_ requests: ArraySlice<Request>, on loop: any EventLoop) -> Int {
        var calls = CustomerCalls()
        calls.promotional.reserveCapacity(requests.count)
        var (taken, offers) = (0, 0)
        for request in requests {
            guard offers < Self.offersPerTick else { break }
            taken += 1
            offers += 1
            // A client that has gone gets no signature.
            guard request.isWaiting else {
                request.giveUp()
                continue
            }
            do throws(Problem) {
                request.open()
                switch request.route {
                case .signatures:
                    guard let call: SignatureRequest = try signingCall(of: request) else { continue }
                    offers += call.offerCount
                    calls.promotional.append((request, call))
                case .introductorySignatures:
                    guard let call: IntroductorySignatureRequest = try signingCall(of: request) else { continue }
                    offers += call.offerCount
                    calls.introductory.append((request, call))
                case .eligibility:
                    let call = try eligibilityCall(of: request)
                    let count = signOffers.decisionCount(of: call)
                    // More are decided in a task.
                    if count <= Self.offersPerTick { offers += count }
                    calls.eligibility.append((request, call))
                default:
                    switch try begin(request) {
                    case .now(let reply): request.finish(.success(reply))
                    case .later(let work): request.wait(for: work)
                    }
                }
            } catch {
                request.finish(.failure(error))
            }
        }
        answer(calls, on: loop)
        return taken
    }

    /// Begins a call that is answered by itself: one about no customer, or a diagnosis.
    private func begin(_ request: Request) throws(Problem) -> Step<Reply, Problem> {
        guard let route = request.route else { throw .notFound }
        if route == .description { return .now(try Self.description()) }
        guard let client = request.client else { throw .tokenMissing }
        switch route {
        case .diagnoses: return try diagnosis(request.body, client)
        case .productReports: return try reports(request.body, request.head.target, client)
        case .products: return try products(request.head.target, client)
        case .signatures, .introductorySignatures, .eligibility, .description: throw .internal
        }
    }

    private static func description() throws(Problem) -> Reply {
        guard let description = OpenAPIDescription.json else { throw .internal }
        return Reply(description)
    }
}
