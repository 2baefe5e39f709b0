import HTTPTypes
import Logging
import NIOCore
import OfferService
import Offers

/// Answers `POST /v1/signatures` on the event loop, without a task where nobody has to be waited for but the ledger.
///
/// There is one entry into the ledger's queue for a tick, and one wake of the event loop for its commit. What has to ask
/// the App Store, the store of states or the ledger goes on in a task of its own.
struct SignaturesOnLoop: LoopResponder {
    /// How many offers are decided before the event loop looks after its connections again.
    private static var offersPerTick: Int { 256 }

    /// What the configuration in use answers with.
    let endpoints: @Sendable () -> LoopEndpoints
    /// Takes note of the requests.
    let telemetry: RequestTelemetry

    /// A request that is admitted, of which nothing else is left to do than its answer.
    private final class Admitted {
        let call: LoopCall
        let client: Client
        let clients: ClientDirectory

        init(call: LoopCall, client: Client, clients: ClientDirectory) {
            self.call = call
            self.client = client
            self.clients = clients
        }
    }

    /// A request whose signatures wait for the ledger.
    private struct Signed {
        let admitted: Admitted
        let prepared: PreparedAnswer
        let evidence: EvidenceKind?
    }

    func takes(_ head: RequestHead) -> Bool { head.method == .post && head.target == PublicRoute.signatures.path }

    func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int {
        let endpoints = endpoints()
        var signed: [Signed] = []
        var entries: [LedgerEntry] = []
        var (taken, offers) = (0, 0)
        for call in calls {
            guard offers < Self.offersPerTick else { break }
            taken += 1
            offers += 1
            call.progress.begin()
            // Who has gone gets nothing signed.
            guard call.connection.isWaiting else {
                call.progress.abandon()
                continue
            }
            guard let admitted = admit(call, to: endpoints) else { continue }
            do throws(Problem) {
                let body = Array(call.body.readableBytesView)
                let (wish, beginning) = try endpoints.signatures.begin(body, for: admitted.client)
                offers += wish.offers.count
                switch beginning {
                case .waiting(let waiting):
                    call.progress.abandon()
                    wait(for: waiting, wish, admitted, on: loop, endpoints)
                case .prepared(let prepared):
                    let one = Signed(admitted: admitted, prepared: prepared, evidence: wish.evidence?.kind)
                    guard let entry = prepared.entry else {
                        release(one, by: .success([]), endpoints)
                        continue
                    }
                    signed.append(one)
                    entries.append(entry)
                }
            } catch {
                finish(admitted, .failure(error))
            }
        }
        if !entries.isEmpty { record(entries, of: signed, on: loop, endpoints) }
        return taken
    }

    /// Lets a request in; `nil` when it was refused.
    private func admit(_ call: LoopCall, to endpoints: LoopEndpoints) -> Admitted? {
        let clients = endpoints.clients
        let client: Client
        do throws(Problem) {
            client = try endpoints.signatures.admit(call.head)
        } catch {
            send(LoopAnswer(error), for: call, to: nil)
            return nil
        }
        let admitted = Admitted(call: call, client: client, clients: clients)
        do throws(Problem) {
            try clients.begin(client)
        } catch {
            answer(admitted, .failure(error))
            return nil
        }
        return admitted
    }

    private func wait(
        for waiting: SignOffers.Waiting,
        _ wish: SignatureCall,
        _ admitted: Admitted,
        on loop: any EventLoop,
        _ endpoints: LoopEndpoints
    ) {
        let identity = admitted.call.identity
        let bound = NIOLoopBound(admitted, eventLoop: loop)
        Task {
            let result: Result<[UInt8], Problem> = await RequestIdentity.$current.withValue(identity) {
                do throws(Problem) {
                    return .success(try await endpoints.signatures.goOn(wish, with: waiting))
                } catch {
                    return .failure(error)
                }
            }
            loop.execute { finish(bound.value, result) }
        }
    }

    private func record(
        _ entries: [LedgerEntry],
        of signed: [Signed],
        on loop: any EventLoop,
        _ endpoints: LoopEndpoints
    ) {
        let bound = NIOLoopBound(signed, eventLoop: loop)
        endpoints.signatures.record(entries) { result in
            loop.execute {
                for (index, one) in bound.value.enumerated() {
                    // What has no outcome is not given out.
                    release(one, by: result.map { $0.indices.contains(index) ? $0[index] : [] }, endpoints)
                }
            }
        }
    }

    /// Answers, once the ledger has spoken.
    private func release(
        _ signed: Signed,
        by outcomes: Result<[GrantOutcome], SignatureFault>,
        _ endpoints: LoopEndpoints
    ) {
        do throws(Problem) {
            let body = try endpoints.signatures.release(signed.prepared, by: outcomes, evidence: signed.evidence)
            finish(signed.admitted, .success(body))
        } catch {
            finish(signed.admitted, .failure(error))
        }
    }

    private func finish(_ admitted: Admitted, _ result: Result<[UInt8], Problem>) {
        admitted.clients.end(admitted.client)
        answer(admitted, result)
    }

    private func answer(_ admitted: Admitted, _ result: Result<[UInt8], Problem>) {
        let (clients, client, call) = (admitted.clients, admitted.client, admitted.call)
        var answer: LoopAnswer
        switch result {
        case .success(let body): answer = LoopAnswer(ok: body)
        case .failure(let problem):
            if problem.status >= 500 {
                RequestIdentity.$current.withValue(call.identity) { telemetry.noteFault(problem) }
            }
            answer = LoopAnswer(problem)
        }
        answer.add(clients.rateLimitFields(of: client))
        send(answer, for: call, to: client)
    }

    private func send(_ answer: consuming LoopAnswer, for call: LoopCall, to client: Client?) {
        call.progress.leave()
        answer.add(call.identity)
        telemetry.note(
            call.identity,
            route: PublicRoute.signatures.path,
            status: answer.status,
            client: client?.name,
            nanoseconds: call.watch.nanoseconds
        )
        call.connection.send(answer)
    }
}
