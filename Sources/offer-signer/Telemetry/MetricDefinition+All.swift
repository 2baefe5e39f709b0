import PrometheusMetrics

/// The one table of the service's metrics: name, kind and help of each, as `/metrics` tells them.
///
/// Whoever counts something makes a handle of swift-metrics with one of these names and the factory that is handed in,
/// and keeps it. A metric that is not in the table is told without a help, which a test finds.
extension MetricDefinition {
    /// Every metric of the service.
    static let all = requests + decisions + ProcessMetrics.definitions

    private static let requests = [
        MetricDefinition(
            "offer_signer_requests_total",
            .counter,
            "Requests by the pattern of their route, the status of the answer, and the client."
        ),
        MetricDefinition(
            "offer_signer_request_duration_seconds",
            .durations,
            "How long requests took, from head to answer, by the pattern of their route."
        ),
    ]

    private static let decisions = [
        MetricDefinition(
            "offer_signer_decisions_total",
            .counter,
            "Decisions about promotional offers, by call, verdict and reason."
        ),
        MetricDefinition(
            "offer_signer_introductory_decisions_total",
            .counter,
            "Decisions about introductory offers, by verdict and reason."
        ),
        MetricDefinition(
            "offer_signer_signatures_total",
            .counter,
            "Signatures given out, by app, offer, key and format."
        ),
        MetricDefinition(
            "offer_signer_introductory_signatures_total",
            .counter,
            "Signatures of introductory offer eligibility given out, by app, key and what they allow."
        ),
        MetricDefinition(
            "offer_signer_room_duration_seconds",
            .durations,
            "Time in decode, evidence, ledger and encode (once a request), decision and signature (once an offer)."
        ),
    ]
}
