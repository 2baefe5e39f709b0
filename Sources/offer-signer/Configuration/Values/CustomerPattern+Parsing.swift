import Glibc
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
                "\(Echo.quoted(text)) has \(count) capture groups; exactly one is needed, around the customer. Write "
                    + "other groups as (?:…)"
            )
        }
        if let length = pattern.lengthOfSlowName {
            throw ValueFault(
                "\(Echo.quoted(text)) takes more than \(mostMilliseconds) ms to reject a name of \(length) "
                    + "characters, and longer names would block the service; do not nest repetitions, and begin with "
                    + "^, as in \"^([^-]+)-\""
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

/// How long a pattern takes for the worst of names.
///
/// Swift's `Regex` tries one way after the other to fit a pattern: for a repetition inside of a repetition they double
/// with every character, and an `applicationUsername` is chosen by the customer. So patterns are tried before they are
/// used, with names that nearly fit and grow little by little: what is slow is found before it takes long.
extension CustomerPattern {
    /// How long a name may take at the most, in milliseconds of CPU time: a name is looked at on an event loop, on which
    /// others wait.
    static let mostMilliseconds = 50

    /// The lengths of names that are tried: near to each other where time may double with each character, up to the
    /// longest name.
    private static let lengths =
        Array(stride(from: 4, through: 32, by: 2)) + [40, 48, 64, 96, 128, 192, 256, 384, 500]

    /// How many different characters of the pattern are tried.
    private static let mostCharacters = 6

    /// How long a name is that takes too long; `nil` where none was found.
    var lengthOfSlowName: Int? {
        for unit in units {
            for length in Self.lengths {
                // What begins as the pattern wants it, and does not end so, is tried in every way there is.
                let name = String(repeating: unit, count: length / unit.count) + "!"
                // Once more, as a machine may be slow for a moment.
                if milliseconds(for: name) > Self.mostMilliseconds, milliseconds(for: name) > Self.mostMilliseconds {
                    return name.count
                }
            }
        }
        return nil
    }

    /// What names are made of: letters, digits, and the pattern's own separators.
    private var units: [String] {
        var separators: [Character] = []
        for character in text where character.isASCII && !character.isLetter && !character.isNumber {
            if !separators.contains(character) { separators.append(character) }
        }
        let own = separators.filter { !#"\^$.|?*+()[]{}"#.contains($0) }.prefix(Self.mostCharacters)
        return ["a", "0"] + own.flatMap { ["\($0)", "a\($0)"] }
    }

    /// The CPU time that a name takes, in milliseconds.
    private func milliseconds(for name: String) -> Int {
        let start = Self.cpuNanoseconds
        _ = customer(in: name)
        return (Self.cpuNanoseconds - start) / 1_000_000
    }

    private static var cpuNanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
