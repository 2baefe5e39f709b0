package import CoreMetrics
package import Offers

/// The metrics of the use cases: plain synchronous functions, for any thread that a request is on.
///
/// To add a metric: make its handle here, or in another room, by swift-metrics with the factory that is handed in;
/// store the handle, and count through it. Its name, kind and help go into the one table of the executable
/// (`MetricDefinition+All.swift`). A label's value comes from the catalog or from a list in the code, never from a
/// request.
package final class ServiceMetrics: Sendable {
    package let stages: StageMetrics
    package let decisions: DecisionMetrics
    /// The record of customers of holdouts; `nil` for none.
    let holdouts: (any HoldoutRecords)?
    let factory: any MetricsFactory

    /// The tally counts decisions for the funnel; `nil` for none.
    package init(
        factory: any MetricsFactory = NOOPMetricsHandler.instance,
        tally: (any OfferTally)? = nil,
        holdouts: (any HoldoutRecords)? = nil
    ) {
        self.factory = factory
        self.holdouts = holdouts
        stages = StageMetrics(factory: factory)
        decisions = DecisionMetrics(factory: factory, tally: tally)
    }
}

extension Dictionary where Value == Counter {
    /// A counter for each value, with its labels.
    init(
        counting values: some Sequence<Key>,
        _ name: String,
        _ factory: any MetricsFactory,
        _ labels: (Key) -> [(String, String)]
    ) {
        self.init()
        for value in values { self[value] = Counter(label: name, dimensions: labels(value), factory: factory) }
    }
}
