import GRDB

/// Writes records, with the values where the bytes that are hashed have them: they are not copied, and what is kept
/// cannot be anything but what was hashed.
struct RecordInsertion {
    /// The canonical bytes ended too early, or are too long.
    private struct Malformed: Error {}

    private enum Kind {
        case text
        case number
        case bytes
    }

    /// What the columns hold, in the order of `LedgerSQL.recordColumns`, which is that of `LedgerWork.message`.
    private static let kinds: [Kind] = [
        .text, .number, .number, .text, .text, .text, .text, .text, .text, .text, .number, .text, .text, .text, .text,
        .bytes, .bytes, .bytes,
    ]

    private let statement: DirectStatement

    /// Prepares the insertion.
    ///
    /// - Parameter database: Where records are written: the insertion is valid as long as this is open.
    /// - Throws: `DatabaseError`.
    init(in database: Database) throws {
        statement = try DirectStatement(LedgerSQL.insertRecord, in: database)
    }

    /// Writes a record.
    ///
    /// - Parameter message: What was hashed: the hash of the record before, and the values; and then the record's hash.
    /// - Throws: `DatabaseError`.
    func insert(_ message: CanonicalBytes) throws {
        try message.withUnsafeBytes { bytes in
            var rest = bytes
            _ = try Self.value(&rest)
            var place: Int32 = 0
            for kind in Self.kinds {
                place += 1
                if kind == .number {
                    try statement.bind(place, Int64(bitPattern: try Self.number(&rest, of: UInt64.self)))
                } else if let value = try Self.value(&rest) {
                    // What is not bound is NULL.
                    if kind == .text {
                        try statement.bindInPlace(place, text: value)
                    } else {
                        try statement.bindInPlace(place, bytes: value)
                    }
                }
            }
            guard rest.isEmpty else { throw Malformed() }
            try statement.run()
        }
    }

    /// Takes a text or bytes; `nil` for nothing.
    private static func value(_ rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        let length = try number(&rest, of: UInt32.self)
        if length == .max { return nil }
        return try take(Int(length), of: &rest)
    }

    private static func number<Number: FixedWidthInteger>(
        _ rest: inout UnsafeRawBufferPointer,
        of _: Number.Type
    ) throws -> Number {
        Number(bigEndian: try take(MemoryLayout<Number>.size, of: &rest).loadUnaligned(as: Number.self))
    }

    private static func take(_ count: Int, of rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}
