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

/// Texts that were read of late.
///
/// It is a class so that a reader, which has it, stays small.
final class SharedTexts {
    /// How many bytes a string may have that needs no memory of its own.
    static var mostBytesInPlace: Int { 15 }

    private var texts = InlineArray<16, String>(repeating: "")

    /// A text, of which there may be one already.
    ///
    /// - Parameter text: UTF-8, known to be valid; more than ``mostBytesInPlace``.
    /// - Returns: The text.
    func text(_ text: Span<UInt8>) -> String {
        let slot = (Int(text[text.count - 1]) &+ 5 &* Int(text[text.count / 2]) &+ text.count) % texts.count
        if EightBytes.areEqual(texts[slot].utf8.span, text) { return texts[slot] }
        let new = String(validated: text)
        texts[slot] = new
        return new
    }
}

extension String {
    /// A text that the reader found to be UTF-8.
    fileprivate init(validated text: Span<UInt8>) {
        self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
