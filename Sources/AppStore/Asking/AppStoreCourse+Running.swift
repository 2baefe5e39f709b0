import Offers

extension AppStoreCourse {
    /// Asks until there is an answer, or no point in going on: never longer than the deadline.
    ///
    /// - Parameter ask: Sends one request to an environment, which may take that long.
    /// - Returns: Apple's answer.
    /// - Throws: `EvidenceFault` when there is none.
    mutating func run(
        _ ask: (AppStoreEnvironment, Duration) async -> AppStoreOutcome<Answer>
    ) async throws(EvidenceFault) -> Answer {
        let start = ContinuousClock.now
        while true {
            let timeout = budget.timeout(at: start.duration(to: .now))
            let outcome =
                timeout > .zero
                ? await ask(environment, timeout)
                : .unavailable(.appStoreUnavailable("The App Store did not answer in time."))
            let elapsed = start.duration(to: .now)
            switch step(after: outcome, at: elapsed, chance: Double.random(in: 0...1)) {
            case .finish(let result): return try result.get()
            case .ask(_, let pause):
                guard pause > .zero else { continue }
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    throw .appStoreUnavailable("The question was given up.")
                }
            }
        }
    }
}

extension EvidenceFault {
    /// The App Store gave no answer, which says nothing of the evidence.
    ///
    /// - Parameters:
    ///   - detail: The fault in a sentence.
    ///   - seconds: After how many seconds to ask again.
    /// - Returns: The fault.
    static func appStoreUnavailable(_ detail: String, retryAfterSeconds seconds: Int = 5) -> EvidenceFault {
        EvidenceFault(.unavailable(retryAfterSeconds: seconds), code: "app_store_unavailable", detail: detail)
    }

    /// Apple does not take the service's own credentials; the log says more.
    static var appStoreCredentials: EvidenceFault {
        EvidenceFault(
            .unavailable(retryAfterSeconds: 60),
            code: "app_store_credentials",
            detail: "The App Store does not take this service's credentials. Its operator has to mend that."
        )
    }

    /// The Server API cannot be asked for the app, and never could: the catalog does not say who issued its key.
    static var issuerUnknown: EvidenceFault {
        EvidenceFault(
            .unsupported,
            code: "not_supported",
            detail: "The App Store Server API is asked with the issuer of the app's key, which the catalog leaves out: "
                + "its operator has to write the issuerId beside the key. Evidence that needs no question to Apple does "
                + "without."
        )
    }

    /// What a request that got no answer comes to.
    ///
    /// - Parameter fault: Why there was none.
    /// - Returns: The outcome.
    static func outcome<Answer>(of fault: TransportFault) -> AppStoreOutcome<Answer> {
        switch fault {
        case .timeout: .temporary(.appStoreUnavailable("The App Store did not answer in time."))
        case .connection: .temporary(.appStoreUnavailable("The App Store cannot be reached."))
        case .tooLarge: .unavailable(.appStoreUnavailable("The App Store's answer is too large to be one."))
        case .heldBack(let seconds):
            .unavailable(
                .appStoreUnavailable("The App Store is not asked just now.", retryAfterSeconds: seconds)
            )
        }
    }
}
