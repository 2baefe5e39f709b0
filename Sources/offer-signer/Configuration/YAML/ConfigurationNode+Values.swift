/// Values of the kinds that the files hold.
extension ConfigurationNode {
    /// Reads a scalar's text, quoted or not: an identifier of digits need not be quoted.
    func value<Value>(_ needed: String, _ parse: (String) throws(ValueFault) -> Value) -> Value? {
        guard let (text, _) = scalar(needed) else { return nil }
        do throws(ValueFault) {
            return try parse(text)
        } catch {
            fault(error.message)
            return nil
        }
    }

    /// Reads an identifier of App Store Connect or of our own.
    func identifier() -> String? {
        value("an identifier", Identifier.parse)
    }

    /// Reads a whole number, not quoted.
    func wholeNumber(in range: ClosedRange<Int>) -> Int? {
        guard let text = plain("a whole number \(WholeNumber.describe(range))") else { return nil }
        do throws(ValueFault) {
            return try WholeNumber.parse(text, in: range)
        } catch {
            fault(error.message)
            return nil
        }
    }

    /// Reads `true` or `false`, not quoted.
    func boolean() -> Bool? {
        guard let text = plain("true or false") else { return nil }
        do throws(ValueFault) {
            return try TruthValue.parse(text)
        } catch {
            fault(error.message)
            return nil
        }
    }

    /// Reads one of several names.
    func choice<Choice: RawRepresentable<String>>(_ kind: String, of choices: [Choice]) -> Choice? {
        guard let (text, _) = scalar(kind) else { return nil }
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let hint = NearestName.hint(for: text, among: choices.map(\.rawValue))
            fault("\(Echo.name(text)) is not \(kind); \(hint)")
            return nil
        }
        return choice
    }

    /// Reads a list of at least one of several names.
    ///
    /// - Parameters:
    ///   - kind: What they are, with its article, for faults.
    ///   - choices: The values, named by their raw values.
    ///   - fix: What to do about an empty list.
    /// - Returns: The named values; `nil` where one is at fault, so that no rule judges the others alone.
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

    /// Reads a text that is not in quotation marks.
    func plain(_ needed: @autoclosure () -> String) -> String? {
        guard let (text, isQuoted) = scalar(needed()) else { return nil }
        guard !isQuoted else {
            fault("is text in quotation marks; \(needed()) is needed, without them")
            return nil
        }
        return text
    }
}
