/// File paths as the configuration writes them.
enum FilePathText {
    /// Checks a path's text; whether the file is there is another question.
    ///
    /// - Parameter text: The path.
    /// - Returns: The same text.
    /// - Throws: ``ValueFault`` when it is empty, or has control characters.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault("is empty; write the path of a file") }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ValueFault("is not the path of a file: it has line breaks or other control characters")
        }
        return text
    }
}
