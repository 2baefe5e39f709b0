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

    func isSame(as other: TokenPIN) -> Bool {
        withBytes { own in
            other.withBytes { bytes in own.count == bytes.count && own.indices.allSatisfy { own[$0] == bytes[$0] } }
        }
    }
}

/// The PINs of a module's tokens, by the tokens' names: a wrong one is tried once, as tokens lock after a few.
struct TriedPINs {
    struct Accepted {
        weak var pin: TokenPIN?
    }

    /// The tokens that refused one since the configuration was read.
    var refusing: Set<String> = []
    /// The last one that each token took: a key in use keeps it, whatever a reload brings that is refused.
    var accepted: [String: Accepted] = [:]

    func mayTry(_ pin: TokenPIN, at token: String) -> Bool { !refusing.contains(token) || isAccepted(pin, at: token) }

    mutating func refuse(_ pin: TokenPIN, at token: String) {
        refusing.insert(token)
        if isAccepted(pin, at: token) { accepted[token] = nil }
    }

    private func isAccepted(_ pin: TokenPIN, at token: String) -> Bool {
        accepted[token]?.pin.map { $0.isSame(as: pin) } == true
    }
}
