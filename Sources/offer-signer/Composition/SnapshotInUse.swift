import OfferAPI

/// The snapshot that is in use, as a whole and as the event loops see it, each in a place of its own.
///
/// Where all processors looked into one place for each request, each would wait for the others.
final class SnapshotInUse: Sendable {
    private let whole: Current<ServiceSnapshot>
    private let loops: [Current<PublicEndpoints>]

    /// Puts the first snapshot in use.
    init(_ snapshot: ServiceSnapshot) {
        whole = Current(snapshot)
        loops = snapshot.lifelong.loops.indices.map { Current(snapshot.endpoints(onLoop: $0)) }
    }

    /// The snapshot.
    ///
    /// Who asks keeps what it got: ask once for all that has to fit together.
    var value: ServiceSnapshot { whole.value }

    /// What clients call on an event loop.
    ///
    /// - Parameter number: The event loop's number, from 0.
    /// - Returns: What gives the endpoints in use, which a request asks for once.
    func endpoints(onLoop number: Int) -> @Sendable () -> PublicEndpoints {
        let current = loops[number % loops.count]
        return { current.value }
    }

    /// Puts another snapshot in use.
    func replace(by snapshot: ServiceSnapshot) {
        whole.replace(by: snapshot)
        for (number, loop) in loops.enumerated() { loop.replace(by: snapshot.endpoints(onLoop: number)) }
    }
}
