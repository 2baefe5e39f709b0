/// What is unusual about a key file that is taken all the same: a sentence for an operator.
enum KeyFileNote {
    /// Looks at a file's text where it lies.
    ///
    /// - Parameters:
    ///   - text: The file's text, of a key that can be used.
    ///   - path: The file.
    /// - Returns: One sentence each, with the command that mends it.
    static func all(in text: Span<UInt8>, path: String) -> [String] {
        guard let first = text.indices.first(where: { !PEMArmour.isBlank(text[$0]) }),
            let last = text.indices.last(where: { !PEMArmour.isBlank(text[$0]) })
        else { return [] }
        let file = path.quotedForShell
        let hasLineFeed = (first...last).contains { text[$0] == 0x0A }
        if (first...last).contains(where: { text[$0] == 0x0D }) {
            guard hasLineFeed else {
                return [
                    "its lines end as on an old Macintosh (CR), which other tools refuse; "
                        + "to mend it: (umask 077 && tr '\\r' '\\n' < \(file) > KEY.p8)"
                ]
            }
            return [
                "its lines end as on Windows (CR LF), which other tools may refuse; to mend it: sed -i 's/\\r$//' \(file)"
            ]
        }
        if !hasLineFeed {
            return [
                "it is all in one line, which other tools refuse; to mend it: (umask 077 && "
                    + #"sed -E 's/ ?(-----[A-Z ]+-----) ?/\n\1\n/g' \#(file) | sed '/-----/!s/ /\n/g;' | grep . > KEY.p8)"#
            ]
        }
        return []
    }
}
