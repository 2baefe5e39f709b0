/// The PIN of a token, in the secure heap until this object is freed.
// `@unchecked Sendable`: it is only read once it is made.
package final class TokenPIN: @unchecked Sendable {
    private let bytes: SecureBuffer

    /// Reads a file, which only root, this user and, by `access`, their group may read; a line feed at its end is none of it.
    package init(contentsOf path: String, access: FileAccess) throws(KeyError) {
        do throws(KeyError) {
            var file = try KeyFile(path: path, access: access)
            let length = file.text.withBytes { text in
                var length = text.count
                while length > 0, text[length - 1] == UInt8(ascii: "\n") || text[length - 1] == UInt8(ascii: "\r") {
                    length -= 1
                }
                return length
            }
            guard length > 0 else { throw KeyError(.empty, "holds no PIN") }
            file.text.truncate(to: length)
            bytes = file.text
        } catch {
            throw error.ofPIN(at: path, access: access)
        }
    }

    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes(body) }
}
