import PrometheusMetrics

/// The one table of the service's metrics: kind, name and help of each, as `/metrics` shows them.
///
/// A counter is a handle of swift-metrics with one of these names, made by the factory that is handed in,
/// and kept. A metric that is not in the table has no help, which a test finds.
extension MetricDefinition {
    static let all =
        described(counters, as: .counter) + described(gauges, as: .gauge) + described(durations, as: .durations)
        + ProcessMetrics.definitions

    private static func described(_ helps: KeyValuePairs<String, String>, as kind: Kind) -> [MetricDefinition] {
        helps.map { MetricDefinition($0.key, kind, $0.value) }
    }

    private static let counters: KeyValuePairs = [
        "offer_signer_token_faults_total":
            "Calls that a token or its module did not do, by the name of the result (CKR_…), or timeout.",
        "offer_signer_requests_total":
            "Requests by the pattern of their route, the status of the answer, and the client.",
        "offer_signer_client_tokens_total":
            "Requests with a client's token, by client, and by which of its tokenSHA256 it was: first or second.",
        "offer_signer_tls_handshake_failures_total":
            "TLS handshakes on the public listener that failed; who just closed the connection is not counted. The "
            + "log says why.",
        "offer_signer_notifications_total": "Notifications of the App Store, by type and by what became of them.",
        "offer_signer_notification_history_recovered_total":
            "Notifications that did not come and were read in Apple's history, by type.",
        "offer_signer_notification_history_failed_attempts_total":
            "Apple's own attempts to send notifications that failed, by its sendAttemptResult.",
        "offer_signer_retention_calls_total":
            "Apple's calls for retention messages, by what they were answered and why.",
        "offer_signer_retention_lookups_total":
            "Questions to the App Store, after the answer, about subscriptions that nobody here knew: learned, failed "
            + "or left_out.",
        "offer_signer_decisions_total": "Decisions about promotional offers, by call, verdict and reason.",
        "offer_signer_introductory_decisions_total": "Decisions about introductory offers, by verdict and reason.",
        "offer_signer_signatures_total": "Signatures given out, by app, offer, key and format.",
        "offer_signer_introductory_signatures_total":
            "Signatures of introductory offer eligibility given out, by app, key and what they allow.",
        "offer_signer_ledger_records_total": "Signatures that were put on record.",
        "offer_signer_app_store_questions_total":
            "Questions to the App Store, by what answered them: call, shared_call (of an equal question) or cache.",
        "offer_signer_app_store_calls_total":
            "Calls to Apple, by service, app, environment, and HTTP status, or why there is none: name, connection, tls, "
            + "timeout, not_http or too_large.",
        "offer_signer_app_store_new_intermediates_total":
            "Intermediate certificates under a pinned root of Apple's that this version did not know.",
        "offer_signer_app_store_credentials_refused_total":
            "Questions without an answer because Apple does not take our own shared secret or key, by service and app.",
        "offer_signer_app_store_held_back_total":
            "Calls that were not made, by cause: breaker (the service was down), pace (appStore.requestsPerSecond is "
            + "reached) or apple (Apple asked for patience, and its time is not over).",
        "offer_signer_reloads_total":
            "Reloads, by outcome: completed, or refused, which leaves in use what was in use.",
    ]

    private static let gauges: KeyValuePairs = [
        "offer_signer_last_reload_successful":
            "0 after a reload that was refused, until one is completed; else 1.",
        "offer_signer_key_unavailable":
            "1 for a key whose token does not sign now, by key; it is asked again by itself.",
        "offer_signer_notification_history_mark_timestamp_seconds":
            "The moment up to which Apple's notification history is stored, by app, in seconds since 1970; replicas "
            + "tell the same.",
        "offer_signer_retention_timeout_seconds": "How long such an answer may take: retention.timeoutMilliseconds.",
        "offer_signer_ledger_queue_length": "Requests whose signatures wait to be on durable storage.",
        "offer_signer_held_subscriptions":
            "Subscriptions whose state is held, counted once a minute at the most; left out until the first count is "
            + "done.",
        "offer_signer_figures_age_seconds":
            "How old figures of the database are, in seconds: of database (its size, redemptions), held_subscriptions, "
            + "notification_history (marks) and catalog (offers that were never seen, or are not in it). Nobody who reads "
            + "metrics waits for the database.",
        "offer_signer_ledger_bytes":
            "How large the ledger's database is with all in it (sqlite without its log), measured once a minute at "
            + "the most.",
        "offer_signer_ledger_verified_timestamp_seconds":
            "When ledger verify last found all of the ledger sound, in seconds since 1970; 0 where the last one found a fault, "
            + "left out where there was none.",
        "offer_signer_ledger_free_bytes": "What the disk of an SQLite ledger has left for the service's user.",
        "offer_signer_redemptions_last_day":
            "Redemptions in production within the last 24 hours of offers that were signed here, by app; replicas "
            + "tell the same.",
        "offer_signer_eligibility_skipped_signatures":
            "Signatures of today and yesterday, in UTC, by sign --skip-eligibility; replicas tell the same.",
        "offer_signer_app_store_breaker_open":
            "1 while a service of Apple is not asked because it was down, by service and environment.",
        "offer_signer_app_store_waiting_calls": "Calls to Apple that wait for their place in an app's pace.",
        "offer_signer_app_store_questions_under_way": "Questions that Apple is being asked, equal ones counted once.",
        "offer_signer_app_store_cached_answers": "Answers of Apple that are kept.",
        "offer_signer_build_info": "1, with the version that runs.",
        "offer_signer_configuration_info":
            "1, with the first 12 digits of the SHA-256 of the configuration in use: replicas should have the same.",
        "offer_signer_ready": "1 while the service should get requests, as /readyz says.",
        "offer_signer_warnings":
            "Warnings in the details of /readyz, by kind: configuration, certificate, memory, restart, ledger, state, "
            + "funnel or history.",
        "offer_signer_key_failed":
            "1 for a key that failed a self-test, or gave a wrong signature (keys.verifySignatures), and does not sign any "
            + "more, by key.",
        "offer_signer_clock_fault": "1 while the clock is wrong, by fault: jumped, behind_apple or ahead_of_apple.",
        "offer_signer_tls_certificate_end_timestamp_seconds":
            "When the first certificate of server.tls.certificateFile ends, in seconds since 1970; without TLS there "
            + "is none.",
        "offer_signer_offers_never_seen": "Offers of the catalog that no client has reported, by app.",
        "offer_signer_offers_not_in_catalog":
            "Promotional offers that clients have reported and the catalog does not have, by app.",
    ]

    private static let durations: KeyValuePairs = [
        "offer_signer_request_duration_seconds":
            "How long requests took, from head to answer, by the pattern of their route.",
        "offer_signer_queue_wait_seconds": "How long requests waited, from their last byte until they were worked on.",
        "offer_signer_retention_call_duration_seconds": "How long answers to calls for retention messages took.",
        "offer_signer_room_duration_seconds":
            "Time in decode, evidence, ledger and encode (once a request), decision and signature (once an offer).",
        "offer_signer_ledger_commit_duration_seconds": "How long the ledger's commits took.",
        "offer_signer_app_store_call_duration_seconds": "How long calls to Apple took, by service and environment.",
    ]
}
