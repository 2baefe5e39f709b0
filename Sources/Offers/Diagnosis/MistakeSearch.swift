/// Looks for the mistakes with which a signature is one of an app's keys, by trying: the search of one report.
struct MistakeSearch {
    /// How many guesses one report may cost; a guess that is tried with several keys counts for each.
    ///
    /// Each takes a tenth of a millisecond.
    static let maximumTries = 4000

    /// The signature.
    let form: SignatureText.Form
    /// What the app gave StoreKit.
    let report: SignatureReport
    /// The kinds of mistakes, the likeliest first.
    let kinds: [MistakeKind]
    /// The public halves of the app's keys.
    let verifiers: [any SignatureVerifier]
    /// Of how many letters a name is tried in every mixture of cases: 64 mixtures.
    private static let mostLetters = 6

    /// What the search has cost so far.
    private(set) var tries = 0

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - form: The signature.
    ///   - report: What the app gave StoreKit.
    ///   - app: The app of the catalog.
    ///   - otherBundleIds: The caller's other apps.
    ///   - verifiers: The public halves of the app's keys.
    init(
        of form: SignatureText.Form,
        in report: SignatureReport,
        of app: App,
        otherBundleIds: [String],
        verifiers: [any SignatureVerifier]
    ) {
        self.form = form
        self.report = report
        self.verifiers = verifiers
        kinds = MistakeKind.all(
            in: report,
            of: app,
            otherBundleIds: otherBundleIds,
            keyIdentifiers: verifiers.map(\.keyIdentifier)
        )
    }

    /// The fewest mistakes with which the signature is one of the app's keys; empty when it is right.
    ///
    /// - Returns: The mistakes; `nil` when none of what was tried explains the signature.
    mutating func mistakes() -> [DiagnosisCode]? {
        guard !verifiers.isEmpty else { return nil }
        let expected = verifiers.filter { $0.keyIdentifier == report.keyIdentifier }
        let others = verifiers.filter { $0.keyIdentifier != report.keyIdentifier }
        let right = PayloadGuess(fields: report.fields)
        if isSigned(right, by: expected) { return [] }
        if isSigned(right, by: others) { return [.wrongKey] }
        let single = kinds.map { kind in kind.ways.compactMap { $0(right) } }
        for guess in single.joined() {
            guard mayTry else { return nil }
            if isSigned(guess, by: expected) { return guess.mistakes }
            if isSigned(guess, by: others) { return guess.mistakes + [.wrongKey] }
        }
        for guess in mixedCases(of: right) {
            guard mayTry else { return nil }
            if isSigned(guess, by: expected) { return guess.mistakes }
        }
        // Two mistakes together are looked for with the key that was named alone.
        guard !expected.isEmpty else { return nil }
        for (index, guesses) in single.enumerated() {
            for guess in guesses {
                for way in kinds[(index + 1)...].lazy.flatMap(\.ways) {
                    guard mayTry else { return nil }
                    guard let double = way(guess) else {
                        tries += 1
                        continue
                    }
                    if isSigned(double, by: expected) { return double.mistakes }
                }
            }
        }
        return nil
    }

    /// Guesses of a name that was signed in mixed case, when the payment has it in another.
    ///
    /// They are no kind of mistake, as together with another they would be too many.
    private func mixedCases(of right: PayloadGuess) -> [PayloadGuess] {
        guard case .applicationUsername(let name) = report.account else { return [] }
        return name.caseVariants(ofAtMost: Self.mostLetters).map { right.with(.account, $0, .accountCase) }
    }

    /// Whether there is anything left to spend, and anybody who waits for it.
    private var mayTry: Bool { tries < Self.maximumTries && !Task.isCancelled }

    /// Whether one of the keys signed a guess.
    private mutating func isSigned(_ guess: PayloadGuess, by keys: [any SignatureVerifier]) -> Bool {
        guard !keys.isEmpty else { return false }
        let bytes = guess.bytes
        for key in keys {
            guard mayTry else { return false }
            tries += 1
            if key.isSignature(form, over: bytes) { return true }
        }
        return false
    }
}
