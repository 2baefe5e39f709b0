import Offers

/// How the catalog writes it.
extension CustomerPattern {
    /// Checks a pattern, in the syntax of Swift's `Regex`.
    static func parse(_ text: String) throws(ValueFault) -> CustomerPattern {
        guard let pattern = CustomerPattern(text) else {
            throw ValueFault("\(Echo.quoted(text)) is not a regular expression; one such as \"^([^-]+)-\" is")
        }
        guard let count = groups(text) else {
            throw ValueFault("\(Echo.quoted(text)): its capture groups cannot be counted; write it more simply")
        }
        guard count == 1 else {
            throw ValueFault(
                "\(Echo.quoted(text)) has \(count) capture groups; exactly one is needed, around the customer, "
                    + "and (?:…) groups without capturing"
            )
        }
        if let length = pattern.lengthOfSlowName {
            throw ValueFault(
                "\(Echo.quoted(text)) takes more than \(mostMilliseconds) ms for a name of \(length) characters that does not "
                    + "fit, and longer ones would stop the service; repeat nothing that is a repetition itself, and begin "
                    + "with ^: \"^([^-]+)-\" takes no time"
            )
        }
        return pattern
    }

    /// Counts the groups by a match.
    ///
    /// The empty alternative in front matches at once. The line break ends a comment that the pattern may end with.
    private static func groups(_ text: String) -> Int? {
        guard let regex = try? Regex("|(?:" + text + "\n)"), let match = try? regex.prefixMatch(in: "") else {
            return nil
        }
        return match.output.count - 1
    }
}
