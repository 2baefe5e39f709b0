extension ConfigurationNode {
    /// Quoted or not: an identifier of digits need not be quoted.
    func value<Value>(_ needed: String, _ parse: (String) throws(ValueFault) -> Value) -> Value? {
        scalar(needed).flatMap { parsed($0.text, parse) }
    }

    private func parsed<Value>(_ text: String, _ parse: (String) throws(ValueFault) -> Value) -> Value? {
        do throws(ValueFault) {
            return try parse(text)
        } catch {
            fault(error.message)
            return nil
        }
    }

    func identifier() -> String? {
        value("an identifier", Identifier.parse)
    }

    func wholeNumber(in range: ClosedRange<Int>) -> Int? {
        plain("a whole number \(WholeNumber.describe(range))").flatMap { text in
            parsed(text) { (text) throws(ValueFault) in try WholeNumber.parse(text, in: range) }
        }
    }

    func boolean() -> Bool? {
        plain("true or false").flatMap { parsed($0, TruthValue.parse) }
    }

    func choice<Choice: RawRepresentable<String>>(_ kind: String, of choices: [Choice]) -> Choice? {
        guard let (text, _) = scalar(kind) else { return nil }
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let hint = Echo.hint(for: text, among: choices.map(\.rawValue))
            fault("\(Echo.name(text)) is not \(kind); \(hint)")
            return nil
        }
        return choice
    }

    /// A list of at least one of several names; `nil` where one is at fault, so that no rule judges the others alone.
    func choices<Choice: RawRepresentable<String> & Hashable>(
        _ kind: String,
        of choices: [Choice],
        fix: String
    ) -> Set<Choice>? {
        guard let elements = filledList(of: choices.map(\.rawValue).joined(separator: ", "), fix: fix) else {
            return nil
        }
        let named = elements.compactMap { $0.choice(kind, of: choices) }
        return named.count == elements.count ? Set(named) : nil
    }

    func plain(_ needed: @autoclosure () -> String) -> String? {
        guard let (text, isQuoted) = scalar(needed()) else { return nil }
        guard !isQuoted else {
            fault("is text in quotation marks; \(needed()) is needed, without them")
            return nil
        }
        return text
    }
}
