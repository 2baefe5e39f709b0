/// A parameter of a statement.
///
/// All of them travel in PostgreSQL's binary form, with their length, so that the statement's type has to be exactly the
/// one named here: write `$1::int8` where the server cannot infer it.
enum PostgreSQLValue: Equatable, Sendable {
    case null
    /// `int8`.
    case integer(Int64)
    /// `text`. The server refuses one with a zero byte, as it cannot keep it.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `bool`.
    case boolean(Bool)
    /// `int8[]`.
    case integers([Int64?])
    /// `text[]`.
    case texts([String?])
    /// `bytea[]`.
    case byteStrings([[UInt8]?])

    /// The bytes on the wire; `nil` for null.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Self.bigEndian(number)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .boolean(let value): [value ? 1 : 0]
        case .integers(let numbers):
            Self.array(numbers.map { $0.map(Self.bigEndian) }, elementType: TypeIdentifier.int8)
        case .texts(let texts): Self.array(texts.map { $0.map { Array($0.utf8) } }, elementType: TypeIdentifier.text)
        case .byteStrings(let strings): Self.array(strings, elementType: TypeIdentifier.bytea)
        }
    }

    /// The number's bytes, the highest first.
    static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The binary form of an array with one dimension (array_recv in PostgreSQL's arrayfuncs.c).
    private static func array(_ elements: [[UInt8]?], elementType: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
        bytes += bigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes += bigEndian(Int32(elements.contains { $0 == nil } ? 1 : 0))
        bytes += bigEndian(elementType)
        guard !elements.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: elements.count))
        bytes += bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(Int32(element.map { Int32(clamping: $0.count) } ?? -1))
            bytes += element ?? []
        }
        return bytes
    }
}
