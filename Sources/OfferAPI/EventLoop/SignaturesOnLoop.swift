import HTTPTypes
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

    /// A request whose body is read.
    private struct Wish {
        let admitted: AdmittedCall
        let call: SignatureCall
        let bundleId: String
    }

    /// A request of which each offer is decided.
    private struct Decided {
        let admitted: AdmittedCall
        let decided: SignOffers.Decided
        let evidence: EvidenceKind?
    }

    /// A request whose signatures wait for the ledger.
    private struct Signed {
        let admitted: AdmittedCall
        let prepared: PreparedAnswer
        let entry: LedgerEntry
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
            guard let admitted = AdmittedCall(call, by: endpoints, telemetry) else { continue }
            do throws(Problem) {
                let body = Array(call.body.readableBytesView)
                let (wish, bundleId) = try endpoints.signatures.take(body, from: admitted.client)
                offers += wish.offers.count
                wishes.append(Wish(admitted: admitted, call: wish, bundleId: bundleId))
            } catch {
                admitted.finish(.failure(error))
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
                admitted.finish(.failure(error))
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
                guard let entry = prepared.entry else {
                    one.admitted.finish(release(prepared, by: .success([]), evidence: one.evidence, endpoints))
                    continue
                }
                let one = Signed(admitted: one.admitted, prepared: prepared, entry: entry, evidence: one.evidence)
                signed.append(one)
            } catch {
                one.admitted.finish(.failure(error))
            }
        }
        return signed
    }

    private func wait(
        for waiting: SignOffers.Waiting,
        _ wish: SignatureCall,
        _ admitted: AdmittedCall,
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
            loop.execute { bound.value.finish(result) }
        }
    }

    private func record(_ signed: [Signed], on loop: any EventLoop, _ endpoints: LoopEndpoints) {
        let bound = NIOLoopBound(signed, eventLoop: loop)
        endpoints.signatures.record(signed.map(\.entry)) { result in
            loop.execute {
                let signed = bound.value
                let bodies = signed.enumerated().map { index, one in
                    // What has no outcome is not given out.
                    let outcomes = result.map { $0.indices.contains(index) ? $0[index] : [] }
                    return release(one.prepared, by: outcomes, evidence: one.evidence, endpoints)
                }
                for (one, body) in zip(signed, bodies) { one.admitted.finish(body) }
            }
        }
    }

    /// The body of an answer, once the ledger has spoken.
    private func release(
        _ prepared: PreparedAnswer,
        by outcomes: Result<[GrantOutcome], SignatureFault>,
        evidence kind: EvidenceKind?,
        _ endpoints: LoopEndpoints
    ) -> Result<[UInt8], Problem> {
        do throws(Problem) {
            return .success(try endpoints.signatures.release(prepared, by: outcomes, evidence: kind))
        } catch {
            return .failure(error)
        }
    }
}
