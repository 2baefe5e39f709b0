import Crypto
import OfferAPI
import OfferService
import Offers
import Storage
import StrictJSON
import SubscriptionKeys

// The parts of an overview as JSON.

extension JSONWriter {
    mutating func members(of details: ReadinessDetails) {
        member("faults", details.faults)
        objects("warnings", details.warnings) { warning, json in
            json.member("kind", warning.kind.rawValue)
            json.member("text", warning.text)
            json.member("fix", warning.fix)
        }
        member("keyMemory", details.keyMemory)
        member("configurationSHA256", details.configurationSHA256)
        object("reloads") { reloads in
            reloads.member("completed", Int64(details.reloads.completed))
            reloads.member("refused", Int64(details.reloads.refused))
            if let moment = details.reloads.lastAt { reloads.member("lastAt", moment.rfc3339) }
            reloads.member("lastFaults", details.reloads.lastFaults)
        }
    }

    mutating func elements(ofKeys keys: [any GuardedKey], _ retired: [RetiredKey], of bundleId: String) {
        for (index, key) in keys.enumerated() {
            object { json in
                json.member("bundleId", bundleId)
                json.member("id", key.keyIdentifier)
                json.member("use", index == 0 ? "signs" : "recognises")
                json.member("publicKeySHA256", Hexadecimal.text(key.publicKeySHA256))
                if let fault = key.failure?.description ?? key.unavailability { json.member("fault", fault) }
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

    /// Steps without any decision are there, too.
    mutating func members(of steps: [DecisionHistory.Step]) {
        if let first = steps.first { member("sinceAt", first.startedAt.rfc3339) }
        member("stepSeconds", DecisionHistory.stepSeconds)
        objects("steps", steps) { step, json in
            json.member("startedAt", step.startedAt.rfc3339)
            json.member("signed", Int64(step.signed))
            let refused = step.refused.map { (key: $0.key.rawValue, value: $0.value) }
            json.member("refused", refused.sorted { $0.key < $1.key })
        }
    }

    /// The outcomes of Apple's calls since the start, and the mean time of an answer.
    mutating func members(of retention: RetentionMetrics) {
        let tally = retention.tally
        objects("calls", tally.calls) { call, json in
            json.member("answer", call.answer)
            json.member("reason", call.reason)
            json.member("count", Int64(call.count))
        }
        if let mean = tally.meanMicroseconds { member("meanMicroseconds", mean) }
    }

    mutating func members(of ledger: OpenLedger, _ figures: RecentFigures, _ settings: Settings) {
        switch settings.ledger.location {
        case .sqlite: member("database", "SQLite")
        case .postgres: member("database", "PostgreSQL")
        }
        member("place", ledger.database.storage.name)
        if let days = settings.ledgerRetentionDays { member("retentionDays", Int64(days)) }
        member("waiting", Int64(ledger.journal.waiting))
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
            object("lastVerification") { json in
                json.member("endedAt", found.at.rfc3339)
                json.member("chains", found.chains)
                json.member("records", found.records)
                json.member("faults", found.faults)
            }
        }
        objects("newestChains", figures.chains.prefix(10)) { chain, json in
            json.member("writer", chain.writer)
            json.member("startedAt", chain.startedAt.rfc3339)
            json.member("records", chain.records)
            json.flag("isEnded", chain.isEnded)
        }
    }

    /// An object with a number for each reason.
    mutating func member(_ name: StaticString, _ counts: [(key: String, value: Int)]) {
        object(name) { json in
            for (reason, count) in counts {
                json.member(named: reason)
                json.number(Int64(count))
            }
        }
    }
}
