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
    init(validated text: Span<UInt8>) {
        self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
