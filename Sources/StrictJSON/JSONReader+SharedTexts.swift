extension JSONReader {
    /// How many bytes a string may have that needs no memory of its own.
    private static var mostBytesInPlace: Int { 15 }

    /// Reads the text of a string, number, `true`, `false` or `null`, of which a document may have several equal ones.
    ///
    /// Those share their memory, mostly, and are found to be equal without a look at it.
    ///
    /// - Returns: The type and the text of the value, a string's without its quotes and with its escapes resolved.
    /// - Throws: ``JSONFault`` when the value is an object or array, or its text is not valid.
    public mutating func readSharedText() throws(JSONFault) -> (type: JSONType, text: String) {
        let type = try nextType()
        let (place, hasEscapes) = try skipPlain(type)
        if hasEscapes { return (type, try resolved(bytes[place])) }
        return (type, sharedText(at: place))
    }

    private mutating func sharedText(at place: Range<Int>) -> String {
        // Not through self, which changes while it is looked at.
        let bytes = bytes
        let text = bytes.span.extracting(place)
        guard text.count > Self.mostBytesInPlace else { return String(validated: text) }
        let slot = (Int(text[text.count - 1]) &+ 5 &* Int(text[text.count / 2]) &+ text.count) % sharedTexts.count
        let known = sharedTexts[slot]
        if Self.isEqual(known, text) { return known }
        let new = String(validated: text)
        sharedTexts[slot] = new
        return new
    }

    private static func isEqual(_ known: String, _ text: Span<UInt8>) -> Bool {
        let known = known.utf8.span
        guard known.count == text.count else { return false }
        for index in text.indices where known[index] != text[index] { return false }
        return true
    }
}

extension String {
    /// A text that the reader found to be UTF-8.
    fileprivate init(validated text: Span<UInt8>) {
        self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
