import COpenSSL

extension PEMArmour {
    /// Takes the armour off: the DER of the one `PRIVATE KEY` in a file.
    ///
    /// The text is rewritten in place, so that it is of no use afterwards. Both buffers are in the secure heap.
    ///
    /// - Parameter text: The file's bytes. Stays owned by the caller.
    /// - Returns: The DER, owned by the caller.
    /// - Throws: A ``KeyFault`` that says what the text holds instead, or where it is damaged.
    static func decode(_ text: inout SecureBuffer) throws(KeyFault) -> SecureBuffer {
        let body = try text.withBytes { (bytes) throws(KeyFault) in try locateBody(in: bytes) }
        let length = try text.withMutableBytes { (bytes) throws(KeyFault) in try gather(body, in: &bytes) }
        text.truncate(to: length)
        let padding = text.withBytes { bytes in bytes.indices.suffix(2).count { bytes[$0] == UInt8(ascii: "=") } }

        var der = try SecureBuffer(count: length / 4 * 3)
        let written = text.withBytes { source in
            der.withMutableBytes { target in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    unsafe source.withUnsafeBufferPointer { source in
                        unsafe EVP_DecodeBlock(target.baseAddress, source.baseAddress, Int32(length))
                    }
                }
            }
        }
        guard written == der.count else { throw KeyFault(OpenSSLFailure(after: "EVP_DecodeBlock")) }
        // EVP_DecodeBlock counts the padding as zero bytes.
        der.truncate(to: der.count - padding)
        return der
    }

    /// Moves the Base64 characters of a range to the front of the text, without the line ends between them.
    ///
    /// It also judges them, as EVP_DecodeBlock takes padding in the middle for a zero.
    ///
    /// - Returns: How many characters there are: a multiple of four, above zero.
    private static func gather(_ range: Range<Int>, in text: inout MutableSpan<UInt8>) throws(KeyFault) -> Int {
        var length = 0
        var padding = 0
        for index in range where !isBlank(text[index]) {
            let character = text[index]
            if character == UInt8(ascii: "=") {
                padding += 1
            } else if padding > 0 || !isBase64(index, in: text.span) {
                throw KeyFault(.malformedBase64, "has a character in the key that is not Base64")
            }
            text[length] = character
            length += 1
        }
        guard length > 0, length % 4 == 0, padding <= 2 else {
            throw KeyFault(.truncated, "has incomplete Base64 in the key")
        }
        return length
    }
}
