/// Writes numbers and texts in few bytes: a number takes as many as it needs, and a text that comes again takes one.
struct CompactWriter {
    private(set) var bytes: [UInt8] = []
    private var texts: [String: Int] = [:]

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// For a number that is mostly small: seven bits a byte, the lowest first.
    mutating func number(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func blob(_ value: some Collection<UInt8>) {
        number(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A text that was written before is written by its place, the digits of a number as that number.
    mutating func text(_ value: String) {
        if let place = texts[value] { return number(UInt64(place + 2)) }
        texts[value] = texts.count
        if let digits = UInt64(value), String(digits) == value {
            number(1)
            number(digits)
        } else {
            number(0)
            blob(value.utf8)
        }
    }
}

struct CompactReader {
    private let bytes: [UInt8]
    private var place = 0
    /// Those that were read, in their order.
    private(set) var texts: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        texts.reserveCapacity(12)
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number() throws(StorageFailure) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard place < bytes.count else { throw Self.fault }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        throw Self.fault
    }

    mutating func signed() throws(StorageFailure) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func blob() throws(StorageFailure) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw Self.fault }
        defer { place += Int(count) }
        return bytes[place..<place + Int(count)]
    }

    mutating func text() throws(StorageFailure) -> String { texts[try textPlace()] }

    /// Reads a text, and gives its place among ``texts``.
    mutating func textPlace() throws(StorageFailure) -> Int {
        let form = try number()
        guard form < 2 else {
            guard form - 2 < UInt64(texts.count) else { throw Self.fault }
            return Int(form - 2)
        }
        let text: String
        if form == 1 {
            text = String(try number())
        } else {
            guard let literal = String(validating: try blob(), as: UTF8.self) else { throw Self.fault }
            text = literal
        }
        texts.append(text)
        return texts.count - 1
    }

    static var fault: StorageFailure { .malformed("body") }
}
