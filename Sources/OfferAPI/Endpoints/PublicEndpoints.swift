import NIOCore
package import OfferService
import Offers

/// All calls of clients, by one configuration: a reload changes nothing for a request that has begun.
package final class PublicEndpoints: Sendable {
    /// The offers that are decided before the event loop serves its other connections again.
    static let offersPerTick = 128

    package let clients: ClientDirectory
    let signOffers: SignOffers
    let productReports: ProductReports
    let diagnoseReports: DiagnoseReports
    let redemptionFeed: RedemptionFeed

    package init(
        clients: ClientDirectory,
        signOffers: SignOffers,
        productReports: ProductReports,
        diagnoseReports: DiagnoseReports,
        redemptionFeed: RedemptionFeed
    ) {
        self.clients = clients
        self.signOffers = signOffers
        self.productReports = productReports
        self.diagnoseReports = diagnoseReports
        self.redemptionFeed = redemptionFeed
    }

    /// Answers the first requests of a tick, some of them later, and returns their number, at least one, and how many
    /// signatures they asked for.
    ///
    /// It stops after ``offersPerTick`` offers.
    func answer(_ requests: ArraySlice<Request>, on loop: any EventLoop) -> (taken: Int, signatures: Int) {
        var calls: [ParsedCall] = []
        calls.reserveCapacity(requests.count)
        var (taken, offers, signatures) = (0, 0, 0)
        for request in requests {
            guard offers < Self.offersPerTick else { break }
            taken += 1
            offers += 1
            // A client that has gone gets no signature.
            guard request.isWaiting else {
                request.abandon()
                continue
            }
            do throws(Problem) {
                request.open()
                switch request.call?.handler {
                case .customer(let call, let explains):
                    guard let called = try read(request, as: call, explaining: explains),
                        !isAnswered(called, on: loop)
                    else { continue }
                    // More are decided in a task.
                    if !called.isLong { offers += called.decisionCount }
                    signatures += called.call.signatureCount
                    calls.append(called)
                case .alone(let begin):
                    guard let client = request.client else { throw .tokenMissing }
                    switch try begin(self, request, client) {
                    case .now(let reply): request.finish(.success(reply))
                    case .later(let work): request.wait(for: work)
                    }
                case .open(let reply): request.finish(.success(try reply()))
                case .inTask, nil: throw .notFound
                }
            } catch {
                request.finish(.failure(error))
            }
        }
        answer(calls, on: loop)
        return (taken, signatures)
    }
}
