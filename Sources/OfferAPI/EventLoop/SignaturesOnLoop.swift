import NIOCore
import OfferService
import Offers

/// Answers `POST /v1/signatures` on the event loop, without a task where nobody has to be waited for but the ledger.
///
/// There is one entry into the ledger's queue for a tick, and one wake of the event loop for its commit. What has to ask
/// the App Store, the store of states or the ledger waits in a task of its own, and is signed on the event loop when the
/// client still is there.
struct SignaturesOnLoop {
    /// What answers.
    let endpoint: SignaturesEndpoint
    /// The event loop, on which everything here is called.
    let loop: any EventLoop

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

    /// Answers requests, some of them later.
    ///
    /// - Parameter wishes: The requests.
    func answer(_ wishes: [LoopWish<SignatureCall>]) {
        let signed = sign(decide(wishes))
        if !signed.isEmpty { record(signed) }
    }

    /// Decides; who has to wait for somebody does so in a task.
    private func decide(_ wishes: [LoopWish<SignatureCall>]) -> [Decided] {
        var all: [Decided] = []
        all.reserveCapacity(wishes.count)
        for wish in wishes {
            let (admitted, evidence) = (wish.admitted, wish.call.evidence?.kind)
            do throws(Problem) {
                switch try endpoint.begin(wish.call, of: wish.bundleId, for: admitted.client) {
                case .waiting(let waiting):
                    admitted.wait(on: loop) { [endpoint] () async throws(Problem) in
                        try await endpoint.goOn(with: waiting, evidence: evidence)
                    } goOn: { [self] admitted, result in
                        goOn(with: admitted, result, evidence: evidence)
                    }
                case .decided(let decided):
                    all.append(Decided(admitted: admitted, decided: decided, evidence: evidence))
                }
            } catch {
                admitted.finish(.failure(error))
            }
        }
        return all
    }

    /// Goes on with a request that has waited: who has gone meanwhile gets nothing signed.
    private func goOn(
        with admitted: AdmittedCall,
        _ result: Result<SignOffers.Decided, Problem>,
        evidence: EvidenceKind?
    ) {
        switch result {
        case .success(let decided):
            guard admitted.call.connection.isWaiting else { return admitted.giveUp() }
            let signed = sign([Decided(admitted: admitted, decided: decided, evidence: evidence)])
            if !signed.isEmpty { record(signed) }
        case .failure(let problem): admitted.finish(.failure(problem))
        }
    }

    /// Signs; what has nothing signed is answered at once.
    private func sign(_ all: [Decided]) -> [Signed] {
        var signed: [Signed] = []
        signed.reserveCapacity(all.count)
        for one in all {
            do throws(Problem) {
                let prepared = try endpoint.sign(one.decided, evidence: one.evidence)
                guard let entry = prepared.entry else {
                    one.admitted.finish(release(prepared, by: .success([]), evidence: one.evidence))
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

    private func record(_ signed: [Signed]) {
        let bound = NIOLoopBound(signed, eventLoop: loop)
        endpoint.record(signed.map(\.entry)) { [self] result in
            loop.execute {
                let signed = bound.value
                let bodies = signed.enumerated().map { index, one in
                    // What has no outcome is not given out.
                    let outcomes = result.map { $0.indices.contains(index) ? $0[index] : [] }
                    return release(one.prepared, by: outcomes, evidence: one.evidence)
                }
                for (one, body) in zip(signed, bodies) { one.admitted.finish(body) }
            }
        }
    }

    /// The body of an answer, once the ledger has spoken.
    private func release(
        _ prepared: PreparedAnswer,
        by outcomes: Result<[GrantOutcome], SignatureFault>,
        evidence kind: EvidenceKind?
    ) -> Result<[UInt8], Problem> {
        do throws(Problem) {
            return .success(try endpoint.release(prepared, by: outcomes, evidence: kind))
        } catch {
            return .failure(error)
        }
    }
}
