import OfferAPI
import ServiceLifecycle

/// Has the log told every minute how many requests could not be answered, and once more at the end.
struct FaultCounts: Service {
    /// What counts them.
    let faults: RepeatedFaults
    /// How long it waits from one time to the next.
    var interval = Duration.seconds(60)

    func run() async throws {
        while await Pause.isOver(after: interval) { faults.logCounts() }
        faults.logCounts()
    }
}
