/// One mistake that backends and apps make, with all that a diagnosis knows of it: a row of ``table``.
struct Mistake: Sendable {
    /// Its name.
    let code: DiagnosisCode
    /// How it is found.
    let effect: Effect
    /// The fix in one sentence.
    let fix: String

    /// How a mistake is found.
    enum Effect: Sendable {
        /// It was done to the text of a signature: how it is undone; `nil` where it was not done.
        case text(String, undo: @Sendable (String) -> String?)
        /// It was done to the seven fields of a discount before they were signed: each way in which it can be done is
        /// tried.
        case payload(@Sendable (Seen) -> String, ways: @Sendable (Situation) -> [Way])
        /// It can be seen in a JWS: a sentence for each place, with what is there and what was to be.
        case jws(@Sendable (JWSCase) -> [String])
    }

    /// What may have been signed, as far as the report and the catalog say.
    struct Situation: Sendable {
        let report: SignatureReport
        let app: App
        /// The public halves of the app's keys.
        let keys: [any SignatureVerifier]
        let otherBundleIds: [String]
        /// The public halves of keys that those apps have and this one has not, by bundle identifier.
        let otherKeys: [String: [any SignatureVerifier]]
    }

    /// One way to make a mistake in a payload.
    struct Way: Sendable {
        /// The part that it changes.
        let part: PayloadGuess.Part
        /// How likely it is: 1 is the likeliest, and what has the same rank is as likely.
        let rank: Int
        /// The findings if this is the signed payload; empty for the mistake whose way it is.
        var found: [Found] = []
        /// Makes the mistake.
        let change: @Sendable (inout PayloadGuess) -> Void
    }

    /// A mistake that was found.
    struct Found: Sendable {
        let mistake: Mistake
        /// The field that it is in; `nil` for what is in none, or in several.
        var field: PayloadGuess.Field?
    }

    /// A mistake that was found in a payload, for its sentence.
    struct Seen {
        let report: SignatureReport
        let payload: PayloadGuess
        let field: PayloadGuess.Field?

        /// The field as it was signed.
        var signed: String { field.map { payload[$0] } ?? "" }
        /// The field as StoreKit was given it.
        var given: String { field.map { report.fields[$0.rawValue] } ?? "" }
    }

    /// A mistake in the text of a signature.
    static func text(
        _ code: DiagnosisCode,
        _ detail: String,
        fix: String,
        undo: @escaping @Sendable (String) -> String?
    ) -> Mistake {
        Mistake(code: code, effect: .text(detail, undo: undo), fix: fix)
    }

    /// A mistake in the payload of a discount.
    static func payload(
        _ code: DiagnosisCode,
        _ detail: @escaping @Sendable (Seen) -> String,
        fix: String,
        ways: @escaping @Sendable (Situation) -> [Way]
    ) -> Mistake {
        Mistake(code: code, effect: .payload(detail, ways: ways), fix: fix)
    }

    /// A mistake that can be seen in a JWS.
    static func jws(
        _ code: DiagnosisCode,
        fix: String,
        seen: @escaping @Sendable (JWSCase) -> [String]
    ) -> Mistake {
        Mistake(code: code, effect: .jws(seen), fix: fix)
    }

    /// The ways to make the mistake in a payload; none for what is no mistake of a payload.
    func ways(in situation: Situation) -> [Way] {
        guard case .payload(_, let ways) = effect else { return [] }
        return ways(situation).map { way in
            var way = way
            if way.found.isEmpty {
                let field: PayloadGuess.Field? = if case .field(let field) = way.part { field } else { nil }
                way.found = [Found(mistake: self, field: field)]
            }
            return way
        }
    }

    /// The mistake in words, as it was found in a payload.
    func cause(_ seen: Seen) -> DiagnosisCause? {
        guard case .payload(let detail, _) = effect else { return nil }
        let fix = code == .wrongKey || code == .keyIdMismatch ? seen.keyFix : fix
        return DiagnosisCause(code, detail: detail(seen), fix: fix)
    }

    /// The mistake in words, as it was found in the text of a signature.
    var textCause: DiagnosisCause? {
        guard case .text(let detail, _) = effect else { return nil }
        return DiagnosisCause(code, detail: detail, fix: fix)
    }

    /// The mistake in words, once for each place of a JWS that it is in.
    func causes(in jws: JWSCase) -> [DiagnosisCause] {
        guard case .jws(let seen) = effect else { return [] }
        return seen(jws).map { DiagnosisCause(code, detail: $0, fix: fix) }
    }
}

extension Mistake.Way {
    /// One field with other texts than StoreKit composes, the likeliest first.
    static func field(_ field: PayloadGuess.Field, _ texts: [String], rank: Int = 1, alike: Bool = false) -> [Self] {
        texts.enumerated().map { place, text in
            Self(part: .field(field), rank: alike ? rank : rank + place) { $0[field] = text }
        }
    }

    /// The words that languages write where there is nothing, and nothing at all, in a field.
    static func placeholders(_ field: PayloadGuess.Field, empty: Bool = true) -> [Self] {
        let words = [("undefined", 2), ("", 2), ("null", 3), ("None", 3), ("nil", 4)]
        return words.filter { empty || $0.0 != "" }.map { word, rank in
            Self(part: .field(field), rank: rank) { $0[field] = word }
        }
    }

    /// The guess with the mistake; `nil` where it makes no difference.
    func applied(to guess: PayloadGuess) -> PayloadGuess? {
        var changed = guess
        change(&changed)
        guard !changed.isSame(as: guess) else { return nil }
        changed.found += found
        return changed
    }
}

extension Mistake.Seen {
    /// How to fix a key or its identifier: one fix for both, where both are wrong.
    fileprivate var keyFix: String {
        let given = report.keyIdentifier
        guard let signer = payload.key?.keyIdentifier else {
            return "Put the key id that StoreKit is given, \(given), into the payload."
        }
        if payload[.keyIdentifier] == signer {
            return "Give StoreKit \(signer), the key that signed and whose identifier is in the payload."
        }
        return "Put the identifier of the key that signs, \(signer), into the payload and give it to StoreKit, or sign "
            + "with the key that StoreKit is given."
    }
}
