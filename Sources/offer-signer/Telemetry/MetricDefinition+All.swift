import PrometheusMetrics

/// The one table of the service's metrics: name, kind and help of each, as `/metrics` shows them.
///
/// A counter is a handle of swift-metrics with one of these names, made by the factory that is handed in,
/// and kept. A metric that is not in the table has no help, which a test finds.
extension MetricDefinition {
    static let all =
        requests + decisions + ledger + appStore + notifications + retention + states + ProcessMetrics.definitions

    private static let requests = [
        MetricDefinition(
            "offer_signer_requests_total",
            .counter,
            "Requests by the pattern of their route, the status of the answer, and the client."
        ),
        MetricDefinition(
            "offer_signer_client_tokens_total",
            .counter,
            "Requests with a client's token, by client, and by which of its tokenSHA256 it was: first or second."
        ),
        MetricDefinition(
            "offer_signer_request_duration_seconds",
            .durations,
            "How long requests took, from head to answer, by the pattern of their route."
        ),
        MetricDefinition(
            "offer_signer_tls_handshake_failures_total",
            .counter,
            "TLS handshakes on the public listener that failed; who just closed the connection is not counted. The log says why."
        ),
        MetricDefinition(
            "offer_signer_queue_wait_seconds",
            .durations,
            "How long requests waited, from their last byte until they were worked on."
        ),
    ]

    private static let notifications = [
        MetricDefinition(
            "offer_signer_notifications_total",
            .counter,
            "Notifications of the App Store, by type and by what became of them."
        )
    ]

    private static let retention = [
        MetricDefinition(
            "offer_signer_retention_calls_total",
            .counter,
            "Apple's calls for retention messages, by what they were answered and why."
        ),
        MetricDefinition(
            "offer_signer_retention_call_duration_seconds",
            .durations,
            "How long answers to calls for retention messages took."
        ),
        MetricDefinition(
            "offer_signer_retention_timeout_seconds",
            .gauge,
            "How long such an answer may take: retention.timeoutMilliseconds."
        ),
        MetricDefinition(
            "offer_signer_retention_lookups_total",
            .counter,
            "Questions to the App Store, after the answer, about subscriptions that nobody here knew: learned, failed or "
                + "left_out."
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

    private static let ledger = [
        MetricDefinition(
            "offer_signer_ledger_queue_length",
            .gauge,
            "Requests whose signatures wait to be on durable storage."
        ),
        MetricDefinition(
            "offer_signer_ledger_commit_duration_seconds",
            .durations,
            "How long the ledger's commits took."
        ),
        MetricDefinition(
            "offer_signer_ledger_records_total",
            .counter,
            "Signatures that were put on record."
        ),
        MetricDefinition(
            "offer_signer_held_subscriptions",
            .gauge,
            "Subscriptions whose state is held, counted once a minute at the most; left out until the first count is done."
        ),
        MetricDefinition(
            "offer_signer_ledger_bytes",
            .gauge,
            "How large the ledger's database is with all in it (sqlite without its log), measured once a minute at the most."
        ),
        MetricDefinition(
            "offer_signer_ledger_free_bytes",
            .gauge,
            "What the disk of an SQLite ledger has left for the service's user."
        ),
        MetricDefinition(
            "offer_signer_redemptions_last_day",
            .gauge,
            "Redemptions in production within the last 24 hours of offers that were signed here, by app; replicas tell the same."
        ),
    ]

    private static let appStore = [
        MetricDefinition(
            "offer_signer_app_store_questions_total",
            .counter,
            "Questions to the App Store, by what answered them: call, shared_call (of an equal question) or cache."
        ),
        MetricDefinition(
            "offer_signer_app_store_calls_total",
            .counter,
            "Calls to Apple, by service, environment, and HTTP status, or why there is none: name, connection, tls, timeout, not_http or too_large."
        ),
        MetricDefinition(
            "offer_signer_app_store_call_duration_seconds",
            .durations,
            "How long calls to Apple took, by service and environment."
        ),
        MetricDefinition(
            "offer_signer_app_store_credentials_refused_total",
            .counter,
            "Questions without an answer because Apple does not take our own shared secret or key, by service and app."
        ),
        MetricDefinition(
            "offer_signer_app_store_held_back_total",
            .counter,
            "Calls that were not made, by cause: breaker (the service was down) or pace (asked as often as allowed)."
        ),
        MetricDefinition(
            "offer_signer_app_store_breaker_open",
            .gauge,
            "1 while a service of Apple is not asked because it was down, by service and environment."
        ),
        MetricDefinition(
            "offer_signer_app_store_waiting_calls",
            .gauge,
            "Calls to Apple that wait for their place in an app's pace."
        ),
        MetricDefinition(
            "offer_signer_app_store_questions_under_way",
            .gauge,
            "Questions that Apple is being asked, equal ones counted once."
        ),
        MetricDefinition("offer_signer_app_store_cached_answers", .gauge, "Answers of Apple that are kept."),
    ]

    private static let states = [
        MetricDefinition("offer_signer_build_info", .gauge, "1, with the version that runs."),
        MetricDefinition("offer_signer_ready", .gauge, "1 while the service should get requests, as /readyz says."),
        MetricDefinition(
            "offer_signer_warnings",
            .gauge,
            "Warnings in the details of /readyz, by kind: configuration, certificate, memory, restart, ledger, state or "
                + "funnel."
        ),
        MetricDefinition(
            "offer_signer_reloads_total",
            .counter,
            "Reloads, by outcome: completed, or refused, which leaves in use what was in use."
        ),
        MetricDefinition(
            "offer_signer_key_failed",
            .gauge,
            "1 for a key that failed a self-test and does not sign any more, by key."
        ),
        MetricDefinition(
            "offer_signer_clock_fault",
            .gauge,
            "1 while the clock is wrong, by fault: jumped, behind_apple or ahead_of_apple."
        ),
        MetricDefinition(
            "offer_signer_tls_certificate_end_timestamp_seconds",
            .gauge,
            "When the first certificate of server.tls.certificateFile ends, in seconds since 1970; without TLS there is none."
        ),
        MetricDefinition(
            "offer_signer_offers_never_seen",
            .gauge,
            "Offers of the catalog that no client has reported, by app."
        ),
        MetricDefinition(
            "offer_signer_offers_not_in_catalog",
            .gauge,
            "Promotional offers that clients have reported and the catalog does not have, by app."
        ),
    ]
}
