/// The reason why a text is not the JSON that was expected, and its place.
@usableFromInline
package struct JSONFault: Error, Equatable {
    /// The kind of fault; the raw values name it in answers.
    package enum Code: String, Sendable {
        /// The text breaks RFC 8259.
        case malformed = "malformed_json"
        /// Objects and arrays are nested deeper than the reader allows.
        case tooDeep = "too_deep"
        /// An object has two members of one name.
        case duplicateMember = "duplicate_member"
        /// An object has a member that does not belong there.
        case unknownMember = "unknown_member"
        /// An object lacks a member that it must have.
        case missingMember = "missing_member"
        /// A value is of another type than expected.
        case wrongType = "wrong_type"
        /// A value is of the right type, and still cannot be taken.
        case invalidValue = "invalid_value"
    }

    package let code: Code
    /// The fault in a sentence, without the offending text where that could be a secret.
    package private(set) var detail: String
    /// The names of members that are known where an unknown one is.
    private var known: [String] = []
    /// The place of the fault, from the innermost value outwards.
    private var steps: [String] = []

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// A member that is none of these.
    package init(unknownAmong names: [String]) {
        self.init(.unknownMember, "There is no such member; known here: \(names.joined(separator: ", ")).")
        known = names
    }

    /// The most bytes of a member's name in a pointer: no name that is known here or at Apple has more, and tokens have.
    private static let longestStep = 40

    /// The place as a JSON Pointer (RFC 6901); empty for the whole document.
    ///
    /// It ends before a member whose name may be a secret.
    package var pointer: String {
        let shown = steps.reversed().prefix { $0.utf8.count <= Self.longestStep && !SecretText.isLikely($0) }
        return shown.map { step in
            "/"
                + step.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
        }.joined()
    }

    package func inside(member: String) -> JSONFault {
        var fault = self
        if steps.isEmpty, let question = NearestName.question(for: member, among: known) {
            fault.detail = "There is no such member; \(question) Known here: \(known.joined(separator: ", "))."
        }
        fault.steps.append(member)
        return fault
    }

    package func inside(element index: Int) -> JSONFault {
        inside(member: String(index))
    }
}

/// Texts that look like a token or a key, at any place: no message repeats any part of them.
package enum SecretText {
    /// Whether a text begins as a client's token (`os_`) or a private key in Base64 (`MIG`) does, or is 32 hexadecimal
    /// digits or more, as a shared secret and a digest are.
    package static func isLikely(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        return bytes.starts(with: "os_".utf8) || bytes.starts(with: "MIG".utf8)
            || bytes.count >= 32 && bytes.allSatisfy(isHexadecimal)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
