/// A row of a statement that writes records, and the record in the bytes that were hashed.
struct RecordRow {
    /// The canonical bytes ended too early, or are too long.
    struct Malformed: Error {}

    /// How many columns a record has.
    static let columns: Int32 = 18

    /// The bytes after the record; before it is bound, from it on.
    private(set) var rest: UnsafeRawBufferPointer
    /// The record's number, once it is bound.
    private(set) var number: Int64 = 0
    /// The record's nonce, once it is bound.
    private(set) var nonce = UnsafeRawBufferPointer(start: nil, count: 0)
    private let statement: DirectStatement
    /// The place that was bound last.
    private var place: Int32

    /// Takes the next record.
    ///
    /// - Parameters:
    ///   - row: Which of the statement's rows it is for, from 0 on.
    ///   - statement: The statement.
    ///   - rest: The bytes from the record on.
    init(_ row: Int32, of statement: DirectStatement, _ rest: UnsafeRawBufferPointer) {
        self.rest = rest
        self.statement = statement
        place = row * Self.columns
    }

    /// Binds the row to the record's values, where they are.
    ///
    /// They come in the order of `LedgerSQL.recordColumns`, which is that of `LedgerWork.message`.
    mutating func bind() throws {
        _ = try value()
        try bindText()
        number = try bindNumber()
        try bindNumber()
        for _ in 0..<6 { try bindText() }
        nonce = try bindText()
        try bindNumber()
        for _ in 0..<4 { try bindText() }
        for _ in 0..<3 { try bindBytes() }
    }

    @discardableResult
    private mutating func bindText() throws -> UnsafeRawBufferPointer {
        place += 1
        // What is not bound is NULL.
        guard let value = try value() else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        try statement.bindInPlace(place, text: value)
        return value
    }

    @discardableResult
    private mutating func bindNumber() throws -> Int64 {
        place += 1
        let value = Int64(bitPattern: try number(of: UInt64.self))
        try statement.bind(place, value)
        return value
    }

    private mutating func bindBytes() throws {
        place += 1
        if let value = try value() { try statement.bindInPlace(place, bytes: value) }
    }

    /// Takes a text or bytes; `nil` for nothing.
    private mutating func value() throws -> UnsafeRawBufferPointer? {
        let length = try number(of: UInt32.self)
        if length == .max { return nil }
        return try take(Int(length))
    }

    private mutating func number<Number: FixedWidthInteger>(of _: Number.Type) throws -> Number {
        Number(bigEndian: try take(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
    }

    private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}
