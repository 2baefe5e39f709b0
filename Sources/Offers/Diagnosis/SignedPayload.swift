/// The seven fields of a discount's payload, in Apple's order.
enum PayloadField: Int, CaseIterable, Sendable {
    case bundleId, keyIdentifier, productId, offerId, account, nonce, timestamp

    static let separator = String(decoding: InvisibleSeparator.utf8, as: UTF8.self)

    /// The fields in the order in which they are forgotten the most.
    fileprivate static let forgotten: [PayloadField] = [
        .account, .keyIdentifier, .productId, .offerId, .nonce, .bundleId, .timestamp,
    ]
}

/// Bytes that were signed, read as the seven fields that are due: in any order, with any separator.
struct SignedPayload {
    /// The fields that are there, with their places in the payload.
    private(set) var fields: [PayloadField: ArraySlice<UInt8>] = [:]
    let separator: [UInt8]
    /// Whether a separator follows the last field, too.
    private(set) var hasEnding = false
    /// Whether the fields have Apple's order, and none is left out.
    private(set) var isInOrder = true

    /// The most bytes of a separator: those of `&InvisibleComma;`, and a few more.
    private static let mostSeparatorBytes = 20

    /// Reads a payload by the texts that its fields should have; `nil` where no seven fields can be told apart.
    init?(_ bytes: [UInt8], due: [String]) {
        let due = due.map { Array($0.utf8) }
        let lowered = due.map(\.lowercasedASCII)
        guard let separator = Self.separator(in: bytes, between: lowered) else { return nil }
        self.separator = separator
        var parts: [ArraySlice<UInt8>]
        if separator.isEmpty || due.contains(where: { $0.firstRange(of: separator) != nil }) {
            parts = Self.parts(of: bytes, besides: lowered, separator)
            if !separator.isEmpty, parts.count < due.count { return nil }
        } else {
            parts = bytes.split(separator: separator, omittingEmptySubsequences: false)
        }
        if parts.count == due.count + 1, parts.last?.isEmpty == true {
            hasEnding = true
            parts.removeLast()
        }
        guard (due.count - 1...due.count).contains(parts.count) || (separator.isEmpty && parts.count < due.count) else {
            return nil
        }
        let fields = Self.fields(of: parts, lowered)
        for (part, field) in zip(parts, fields) { self.fields[field] = part }
        isInOrder = fields.map(\.rawValue) == fields.map(\.rawValue).sorted()
        let missing = PayloadField.allCases.filter { self.fields[$0] == nil }
        if separator.isEmpty {
            // Where nothing joins the fields, an empty one is not told from one that is left out.
            for field in missing { self.fields[field] = [] }
        } else if let field = missing.first {
            isInOrder = false
            // It is not left out where it stands in another part.
            let text = lowered[field.rawValue]
            let isElsewhere = zip(parts, fields).contains { part, field in
                let part = part.lowercasedASCII
                return part != lowered[field.rawValue] && !text.isEmpty && part.firstRange(of: text) != nil
            }
            if isElsewhere { return nil }
        }
    }

    /// The right separator where it is there, else the bytes that most neighbours have between them.
    private static func separator(in bytes: [UInt8], between due: [[UInt8]]) -> [UInt8]? {
        if bytes.firstRange(of: InvisibleSeparator.utf8) != nil { return InvisibleSeparator.utf8 }
        let lowered = bytes.lowercasedASCII
        var found: [[UInt8]: Int] = [:]
        for (first, second) in zip(due, due.dropFirst()) where !first.isEmpty && !second.isEmpty {
            guard let start = lowered.firstRange(of: first)?.upperBound,
                let end = lowered[start...].firstRange(of: second)?.lowerBound, end - start <= mostSeparatorBytes
            else { continue }
            found[Array(bytes[start..<end]), default: 0] += 1
        }
        return found.max { ($0.value, $1.key.count) < ($1.value, $0.key.count) }?.key
    }

    /// The parts of a payload whose separator is empty, or stands in fields, too: the texts that are due, and what else
    /// is between them.
    private static func parts(
        of bytes: [UInt8],
        besides due: [[UInt8]],
        _ separator: [UInt8]
    ) -> [ArraySlice<UInt8>] {
        let lowered = bytes.lowercasedASCII
        var known: [Range<Int>] = []
        for text in due.sorted(by: { $0.count > $1.count }) where !text.isEmpty {
            let ranges = lowered.ranges(of: text)
            if let range = ranges.first(where: { range in known.allSatisfy { !$0.overlaps(range) } }) {
                known.append(range)
            }
        }
        known.sort { $0.lowerBound < $1.lowerBound }
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        for range in known + [bytes.count..<bytes.count] {
            let (isFirst, isLast) = (start == 0, range.isEmpty)
            var between = bytes[start..<range.lowerBound]
            if !between.isEmpty, isFirst || isLast || !between.elementsEqual(separator) {
                if !isFirst, between.starts(with: separator) { between = between.dropFirst(separator.count) }
                if !isLast, between.reversed().starts(with: separator.reversed()) {
                    between = between.dropLast(separator.count)
                }
                parts.append(between)
            }
            if !isLast { parts.append(bytes[range]) }
            start = range.upperBound
        }
        return parts
    }

    /// The field of each part: the one whose text it has; the others have the fields that are left, in their order.
    private static func fields(of parts: [ArraySlice<UInt8>], _ due: [[UInt8]]) -> [PayloadField] {
        let texts = parts.map(\.lowercasedASCII)
        var found = [PayloadField?](repeating: nil, count: parts.count)
        for field in PayloadField.allCases where field.rawValue < parts.count {
            if texts[field.rawValue] == due[field.rawValue] { found[field.rawValue] = field }
        }
        for field in PayloadField.allCases where !found.contains(field) && !due[field.rawValue].isEmpty {
            let place = texts.indices.first { found[$0] == nil && texts[$0] == due[field.rawValue] }
            if let place { found[place] = field }
        }
        var free = PayloadField.allCases.filter { !found.contains($0) }
        func filled(without forgotten: PayloadField?) -> [PayloadField] {
            var rest = free.filter { $0 != forgotten }[...]
            return found.compactMap { $0 ?? rest.popFirst() }
        }
        while free.count > found.count(where: { $0 == nil }) {
            let likely = PayloadField.forgotten.filter(free.contains)
            let inOrder = likely.first { field in
                let places = filled(without: field).map(\.rawValue)
                return places == places.sorted()
            }
            free.removeAll { $0 == inOrder ?? likely.first }
        }
        return filled(without: nil)
    }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII's letters in lower case.
    fileprivate var lowercasedASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension String {
    /// The text, with every character that is not seen written as its number.
    var visible: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: text += scalar.number
            case .spaceSeparator where scalar != " ": text += scalar.number
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// The scalar as it is written in tables, such as `<U+2063>`.
    fileprivate var number: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }
}
