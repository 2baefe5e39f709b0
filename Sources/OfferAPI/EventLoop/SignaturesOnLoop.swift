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

    /// A request whose body is read.
    private struct Wish {
        let admitted: Admitted
        let call: SignatureCall
        let bundleId: String
    }

    /// A request of which each offer is decided.
    private struct Decided {
        let admitted: Admitted
        let decided: SignOffers.Decided
        let evidence: EvidenceKind?
    }

    /// A request whose signatures wait for the ledger.
    private struct Signed {
        let admitted: Admitted
        let prepared: PreparedAnswer
        let evidence: EvidenceKind?
    }

    func takes(_ head: RequestHead) -> Bool { head.method == .post && head.target == PublicRoute.signatures.path }

    // Each step is taken for all requests before the next one: a step's code fits into the processor's first cache, and that
    // of all steps together does not.
    func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int {
        let endpoints = endpoints()
        let (wishes, taken) = read(calls, endpoints)
        let decided = decide(wishes, on: loop, endpoints)
        let signed = sign(decided, endpoints)
        if !signed.isEmpty { record(signed, on: loop, endpoints) }
        return taken
    }

    /// Admits and reads requests, until there is enough to do for a tick.
    private func read(_ calls: [LoopCall], _ endpoints: LoopEndpoints) -> ([Wish], taken: Int) {
        var wishes: [Wish] = []
        wishes.reserveCapacity(calls.count)
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
                let (wish, bundleId) = try endpoints.signatures.take(body, from: admitted.client)
                offers += wish.offers.count
                wishes.append(Wish(admitted: admitted, call: wish, bundleId: bundleId))
            } catch {
                finish(admitted, .failure(error))
            }
        }
        return (wishes, taken)
    }

    /// Decides; who has to wait for somebody goes on in a task.
    private func decide(_ wishes: [Wish], on loop: any EventLoop, _ endpoints: LoopEndpoints) -> [Decided] {
        var all: [Decided] = []
        all.reserveCapacity(wishes.count)
        for wish in wishes {
            let admitted = wish.admitted
            do throws(Problem) {
                switch try endpoints.signatures.begin(wish.call, of: wish.bundleId, for: admitted.client) {
                case .waiting(let waiting):
                    admitted.call.progress.abandon()
                    wait(for: waiting, wish.call, admitted, on: loop, endpoints)
                case .decided(let decided):
                    all.append(Decided(admitted: admitted, decided: decided, evidence: wish.call.evidence?.kind))
                }
            } catch {
                finish(admitted, .failure(error))
            }
        }
        return all
    }

    /// Signs; what has nothing signed is answered at once.
    private func sign(_ all: [Decided], _ endpoints: LoopEndpoints) -> [Signed] {
        var signed: [Signed] = []
        signed.reserveCapacity(all.count)
        for one in all {
            do throws(Problem) {
                let prepared = try endpoints.signatures.sign(one.decided, evidence: one.evidence)
                let answered = Signed(admitted: one.admitted, prepared: prepared, evidence: one.evidence)
                if prepared.entry == nil {
                    finish(one.admitted, release(answered, by: .success([]), endpoints))
                } else {
                    signed.append(answered)
                }
            } catch {
                finish(one.admitted, .failure(error))
            }
        }
        return signed
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

    private func record(_ signed: [Signed], on loop: any EventLoop, _ endpoints: LoopEndpoints) {
        let bound = NIOLoopBound(signed, eventLoop: loop)
        endpoints.signatures.record(signed.compactMap(\.prepared.entry)) { result in
            loop.execute {
                let signed = bound.value
                let bodies = signed.indices.map { index in
                    // What has no outcome is not given out.
                    let outcomes = result.map { $0.indices.contains(index) ? $0[index] : [] }
                    return release(signed[index], by: outcomes, endpoints)
                }
                for (one, body) in zip(signed, bodies) { finish(one.admitted, body) }
            }
        }
    }

    /// The body of an answer, once the ledger has spoken.
    private func release(
        _ signed: Signed,
        by outcomes: Result<[GrantOutcome], SignatureFault>,
        _ endpoints: LoopEndpoints
    ) -> Result<[UInt8], Problem> {
        do throws(Problem) {
            return .success(try endpoints.signatures.release(signed.prepared, by: outcomes, evidence: signed.evidence))
        } catch {
            return .failure(error)
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
