extension String {
    /// The text with its percent-encoded bytes decoded (RFC 3986 §2.1); `nil` where one is cut short, or the bytes are no
    /// UTF-8.
    public var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = Hexadecimal.bytes(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1
            else { return nil }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
