/// The seven fields of a discount's payload, in Apple's order.
enum PayloadField: Int, CaseIterable, Sendable {
    case bundleId, keyIdentifier, productId, offerId, account, nonce, timestamp

    static let separator = String(decoding: InvisibleSeparator.utf8, as: UTF8.self)

    /// The most often forgotten first.
    fileprivate static let forgotten: [PayloadField] = [
        .account, .keyIdentifier, .productId, .offerId, .nonce, .bundleId, .timestamp,
    ]
}

/// Bytes that were signed, read as the seven fields that are due: in any order, with any separator.
struct SignedPayload {
    /// Without those that are left out; the slices keep their places in the payload.
    private(set) var fields: [PayloadField: ArraySlice<UInt8>] = [:]
    let separator: [UInt8]
    /// Whether a separator follows the last field.
    let hasEnding: Bool
    /// By Apple's order, with no field left out.
    let isInOrder: Bool

    /// `due` has the texts of the right fields; `nil` where the fields cannot be distinguished.
    init?(_ bytes: [UInt8], due: [String]) {
        let due = due.map { $0.utf8.lowercasedASCII }
        let known = Self.places(of: due, in: bytes.lowercasedASCII)
        let isRight = bytes.firstRange(of: InvisibleSeparator.utf8) != nil
        guard let separator = isRight ? InvisibleSeparator.utf8 : Self.separator(in: bytes, between: known) else {
            return nil
        }
        var parts = Self.parts(of: bytes, separator, due, known)
        hasEnding = parts.count == due.count + 1 && parts.last?.isEmpty == true
        if hasEnding { parts.removeLast() }
        guard parts.count <= due.count, parts.count >= due.count - 1 || separator.isEmpty else { return nil }
        let fields = Self.fields(of: parts.map(\.lowercasedASCII), due)
        for (part, field) in zip(parts, fields) { self.fields[field] = part }
        let missing = PayloadField.allCases.filter { !fields.contains($0) }
        // Where nothing joins the fields, an empty one is not distinguished from one that is left out.
        if separator.isEmpty { for field in missing { self.fields[field] = [] } }
        self.separator = separator
        isInOrder = fields.isSorted && (missing.isEmpty || separator.isEmpty)
        // A field that stands in another part is not left out.
        for field in missing where !due[field.rawValue].isEmpty && !separator.isEmpty {
            let others = zip(parts, fields).filter { $0.lowercasedASCII != due[$1.rawValue] }
            if others.contains(where: { $0.0.lowercasedASCII.firstRange(of: due[field.rawValue]) != nil }) {
                return nil
            }
        }
    }

    /// The places of the texts that are due, in the payload's order: the longest are looked for first, as others may be parts
    /// of them.
    private static func places(of due: [[UInt8]], in bytes: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        for text in due.sorted(by: { $0.count > $1.count }) where !text.isEmpty {
            let free = bytes.ranges(of: text).first { range in places.allSatisfy { !$0.overlaps(range) } }
            if let free { places.append(free) }
        }
        return places.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The bytes that stand the most between two neighbours.
    private static func separator(in bytes: [UInt8], between known: [Range<Int>]) -> [UInt8]? {
        var found: [[UInt8]: Int] = [:]
        for (first, second) in zip(known, known.dropFirst()) {
            found[Array(bytes[first.upperBound..<second.lowerBound]), default: 0] += 1
        }
        return found.max { ($0.value, $1.key.count) < ($1.value, $0.key.count) }?.key
    }

    /// The parts between separators: where one stands in fields, too, or is empty, the known texts and what is between.
    private static func parts(
        of bytes: [UInt8],
        _ separator: [UInt8],
        _ due: [[UInt8]],
        _ known: [Range<Int>]
    ) -> [ArraySlice<UInt8>] {
        if !separator.isEmpty, due.allSatisfy({ $0.firstRange(of: separator) == nil }) {
            let parts = bytes.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.count > due.count, parts.count > due.count + 1 || parts.last?.isEmpty == false else {
                return parts
            }
            // More fields than are due are the end of the last one.
            return parts.prefix(due.count - 1) + [bytes[parts[due.count - 1].startIndex...]]
        }
        var parts: [(bytes: ArraySlice<UInt8>, isKnown: Bool)] = []
        var start = 0
        for range in known + [bytes.count..<bytes.count] {
            let (isFirst, isLast) = (start == 0, range.isEmpty)
            var between = bytes[start..<range.lowerBound]
            if !between.isEmpty, isFirst || isLast || !between.elementsEqual(separator) {
                if !isFirst, between.starts(with: separator) { between = between.dropFirst(separator.count) }
                if !isLast, between.reversed().starts(with: separator.reversed()) {
                    between = between.dropLast(separator.count)
                }
                parts.append((between, false))
            }
            if !isLast { parts.append((bytes[range], true)) }
            start = range.upperBound
        }
        guard !separator.isEmpty, parts.count < due.count else { return parts.map(\.bytes) }
        return parts.flatMap { part in
            part.isKnown ? [part.bytes] : part.bytes.split(separator: separator, omittingEmptySubsequences: false)
        }
    }

    /// The field of each part: the one whose text it has; the others have the fields that are left, in their order.
    private static func fields(of parts: [[UInt8]], _ due: [[UInt8]]) -> [PayloadField] {
        var found = parts.enumerated().map { place, part in part == due[place] ? PayloadField(rawValue: place) : nil }
        func find(_ isMeant: ([UInt8]) -> Bool) {
            for field in PayloadField.allCases where !found.contains(field) && isMeant(due[field.rawValue]) {
                let place = parts.indices.first { found[$0] == nil && parts[$0] == due[field.rawValue] }
                if let place { found[place] = field }
            }
        }
        find { !$0.isEmpty }
        // An empty part is another field's where more than that has moved.
        if parts.count < due.count || found.enumerated().contains(where: { $1.map(\.rawValue) ?? $0 != $0 }) {
            find(\.isEmpty)
        }
        var free = PayloadField.allCases.filter { !found.contains($0) }
        func filled(without forgotten: PayloadField?) -> [PayloadField] {
            var rest = free.filter { $0 != forgotten }[...]
            return found.compactMap { $0 ?? rest.popFirst() }
        }
        while free.count > found.count(where: { $0 == nil }) {
            let likely = PayloadField.forgotten.filter(free.contains)
            let forgotten = likely.first { filled(without: $0).isSorted } ?? likely.first
            free.removeAll { $0 == forgotten }
        }
        return filled(without: nil)
    }
}

extension [PayloadField] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0.rawValue < $1.rawValue } }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII's letters in lower case.
    fileprivate var lowercasedASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension String {
    /// The text, with every character that is not seen written as its number.
    package var visible: String {
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
