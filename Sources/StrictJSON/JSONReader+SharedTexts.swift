extension JSONReader {
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
        if place.count <= SharedTexts.mostBytesInPlace {
            return (type, String(validated: bytes.span.extracting(place)))
        }
        let texts = sharedTexts ?? SharedTexts()
        sharedTexts = texts
        return (type, texts.text(bytes.span.extracting(place)))
    }
}
