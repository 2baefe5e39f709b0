import NIOCore
public import OfferService
import Offers
import StrictJSON

/// All calls of clients, by one configuration.
///
/// A request keeps the endpoints that it began with, so that a reload changes nothing within a request.
public final class PublicEndpoints: Sendable {
    /// How many offers are decided before the event loop looks after its connections again.
    static let offersPerTick = 256

    /// Who may call.
    public let clients: ClientDirectory
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
    public init(
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
        var promotional: [(request: Request, call: SignatureRequest)] = []
        promotional.reserveCapacity(requests.count)
        var introductory: [(request: Request, call: IntroductorySignatureRequest)] = []
        var (taken, offers) = (0, 0)
        for request in requests {
            guard offers < Self.offersPerTick else { break }
            taken += 1
            offers += 1
            // Nothing is signed for a client that has gone.
            guard request.isWaiting else {
                request.giveUp()
                continue
            }
            do throws(Problem) {
                try request.open()
                switch request.route {
                case .signatures:
                    guard let call: SignatureRequest = try signingCall(of: request) else { continue }
                    offers += call.offerCount
                    promotional.append((request, call))
                case .introductorySignatures:
                    guard let call: IntroductorySignatureRequest = try signingCall(of: request) else { continue }
                    offers += call.offerCount
                    introductory.append((request, call))
                default:
                    switch try begin(request, &offers) {
                    case .now(let reply): request.finish(.success(reply))
                    case .later(let work): request.wait(for: work)
                    }
                }
            } catch {
                request.finish(.failure(error))
            }
        }
        if !promotional.isEmpty { sign(promotional, on: loop) }
        if !introductory.isEmpty { sign(introductory, on: loop) }
        return taken
    }

    /// Begins a call that signs nothing; calls for signatures are answered together, by ``sign(_:on:)``.
    private func begin(_ request: Request, _ offers: inout Int) throws(Problem) -> Step<Reply, Problem> {
        guard let route = request.route else { throw .notFound }
        if route == .description { return .now(try Self.description()) }
        guard let client = request.client else { throw .tokenMissing }
        switch route {
        case .eligibility: return try eligibility(request.body, client, &offers)
        case .diagnoses: return try diagnosis(request.body, client)
        case .productReports: return try reports(request.body, request.head.target, client)
        case .products: return try products(request.head.target, client)
        case .signatures, .introductorySignatures, .description: throw .internal
        }
    }

    private static func description() throws(Problem) -> Reply {
        guard let description = OpenAPIDescription.json else { throw .internal }
        return Reply(description)
    }
}
