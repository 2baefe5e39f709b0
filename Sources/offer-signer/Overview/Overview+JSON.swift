import AppStore
import Crypto
import OfferAPI
import OfferService
import Offers
import PrometheusMetrics
import Storage
import StrictJSON
import SubscriptionKeys

// The parts of an overview as JSON.

extension JSONWriter {
    mutating func member(_ name: StaticString, _ texts: some Sequence<String>) {
        member(name)
        array { list in
            for text in texts { list.string(text) }
        }
    }

    mutating func members(of details: ReadinessDetails) {
        member("faults", details.faults)
        member("warnings")
        array { list in
            for warning in details.warnings {
                list.object { json in
                    json.member("kind", warning.kind.rawValue)
                    json.member("text", warning.text)
                    json.member("fix", warning.fix)
                }
            }
        }
        member("keyMemory", details.keyMemory)
        member("reloads")
        object { reloads in
            reloads.member("completed", Int64(details.reloads.completed))
            reloads.member("refused", Int64(details.reloads.refused))
            if let moment = details.reloads.lastAt { reloads.member("lastAt", moment.rfc3339) }
            reloads.member("lastFaults", details.reloads.lastFaults)
        }
    }

    mutating func elements(ofKeys keys: [GuardedKey], _ retired: [RetiredKey], of bundleId: String) {
        for (index, key) in keys.enumerated() {
            object { json in
                json.member("bundleId", bundleId)
                json.member("id", key.keyIdentifier)
                json.member("use", index == 0 ? "signs" : "recognises")
                json.member("publicKeySHA256", Hexadecimal.text(key.signer.publicKeySHA256))
                if let failure = key.failure { json.member("fault", failure.description) }
            }
        }
        for key in retired {
            object { json in
                json.member("bundleId", bundleId)
                json.member("id", key.keyIdentifier)
                json.member("use", "retired")
                json.member("publicKeySHA256", Hexadecimal.text(SHA256.hash(data: key.publicKey.derRepresentation)))
            }
        }
    }

    mutating func element(_ place: AppStorePlace, _ metrics: OverviewMetrics) {
        let name = "\(place.service) \(place.environment.rawValue)"
        object { json in
            json.member("service", place.service)
            json.member("environment", place.environment.rawValue)
            json.member("url", place.url)
            json.member("isPaused")
            json.bool(place.isPaused)
            json.member("calls", metrics.calls[name] ?? [:])
            if let (count, seconds) = metrics.durations[name], count > 0 {
                json.member("meanMilliseconds", Int64((seconds / count * 1000).rounded()))
            }
        }
    }

    /// Steps without any decision are there, too.
    mutating func members(of steps: [DecisionHistory.Step]) {
        if let first = steps.first { member("sinceAt", first.startedAt.rfc3339) }
        member("stepSeconds", DecisionHistory.stepSeconds)
        member("steps")
        array { list in
            for step in steps {
                list.object { json in
                    json.member("startedAt", step.startedAt.rfc3339)
                    json.member("signed", Int64(step.signed))
                    json.member("refused", step.refused.mapValues { Int64($0) })
                }
            }
        }
    }

    mutating func member(_ name: StaticString, _ metrics: [MetricReading]) {
        member(name)
        array { list in
            for metric in metrics {
                list.object { json in
                    json.member("name", metric.name)
                    if let help = metric.help { json.member("help", help) }
                    json.member("series")
                    json.array { series in
                        for (index, one) in metric.series.enumerated() {
                            series.object { json in
                                json.member("labels")
                                json.object { labels in
                                    for (name, value) in one.labels.sorted(by: { $0.key < $1.key }) {
                                        labels.member(named: name)
                                        labels.string(value)
                                    }
                                }
                                json.member("value", Int64(clamping: one.value))
                                if metric.sums.indices.contains(index), one.value > 0 {
                                    let mean = metric.sums[index] / one.value * 1_000_000
                                    json.member("meanMicroseconds", Int64(clamping: mean))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    mutating func members(of ledger: OpenLedger, _ figures: RecentFigures, _ settings: Settings) {
        switch settings.ledger.location {
        case .sqlite: member("database", "SQLite")
        case .postgres: member("database", "PostgreSQL")
        }
        member("place", ledger.database.storage.name)
        if let days = settings.ledgerRetentionDays { member("retentionDays", Int64(days)) }
        member("waiting", Int64(ledger.ledger.waiting))
        member("bytes", figures.bytes)
        let records = figures.chains.reduce(Int64(0)) { sum, chain in
            let (sum, overflow) = sum.addingReportingOverflow(chain.records)
            return overflow ? .max : sum
        }
        member("records", records)
        member("chains", figures.chainCount)
        member("chainsCounted", Int64(figures.chains.count))
        if let moment = figures.checkpointAt { member("checkpointAt", moment.rfc3339) }
        if let found = figures.lastVerification {
            member("lastVerification")
            object { json in
                json.member("endedAt", found.at.rfc3339)
                json.member("chains", found.chains)
                json.member("records", found.records)
                json.member("faults", found.faults)
            }
        }
        member("newestChains")
        array { list in
            for chain in figures.chains.prefix(10) {
                list.object { json in
                    json.member("writer", chain.writer)
                    json.member("startedAt", chain.startedAt.rfc3339)
                    json.member("records", chain.records)
                    json.member("isEnded")
                    json.bool(chain.isEnded)
                }
            }
        }
    }

    /// Of each token: how its digest in `clients.yaml` begins, how many requests showed it, and when the last one did,
    /// since the start.
    mutating func element(_ client: Client, lastUsed: [Timestamp?], _ metrics: OverviewMetrics) {
        object { json in
            json.member("name", client.name)
            json.member("apps", client.apps.sorted())
            json.member("scopes", ClientScope.allCases.filter(client.scopes.contains).map(\.rawValue))
            json.member("evidence", EvidenceKind.allCases.filter(client.evidence.contains).map(\.rawValue))
            if let rate = client.signaturesPerSecond { json.member("signaturesPerSecond", Int64(rate)) }
            if let number = client.concurrentRequests { json.member("concurrentRequests", Int64(number)) }
            json.member("tokens")
            json.array { tokens in
                for (place, digest) in client.tokenSHA256.enumerated() {
                    tokens.object { token in
                        token.member("sha256Prefix", Hexadecimal.text(digest.prefix(4)))
                        let requests = metrics.tokens[client.name]?[place == 0 ? "first" : "second"]
                        token.member("requests", requests ?? 0)
                        if lastUsed.indices.contains(place), let moment = lastUsed[place] {
                            token.member("lastUsedAt", moment.rfc3339)
                        }
                    }
                }
            }
            json.member("requests", metrics.requests[client.name] ?? [:])
        }
    }

    private mutating func member(_ name: StaticString, _ counts: [String: Int64]) {
        member(name)
        object { json in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                json.member(named: name)
                json.number(count)
            }
        }
    }
}

extension Int64 {
    /// Rounds; the ends of the range for numbers beyond them.
    fileprivate init(clamping number: Double) {
        self = Int64(exactly: number.rounded()) ?? (number > 0 ? .max : 0)
    }
}
