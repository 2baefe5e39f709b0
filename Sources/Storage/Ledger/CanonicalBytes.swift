/// The one way to write values as bytes that are hashed or signed, so that no two things have the same bytes.
///
/// A line of ASCII that says what follows and ends with a line feed; then the values in their order: a number as 8 bytes,
/// big-endian, two's complement; a text or bytes as their length in 4 bytes, big-endian, and then themselves, text in
/// UTF-8; nothing as the length FFFFFFFF.
struct CanonicalBytes: LedgerValues {
    /// Memory that is written from its start on, longer than what is in it: an array that grew with each value would look
    /// at its owners and at its room twice a value.
    private var memory: [UInt8]
    private(set) var count = 0

    /// Goes on with values after a title that was taken elsewhere, in memory of a size that grows where it is not enough.
    init(size: Int = 128) {
        memory = [UInt8](repeating: 0, count: size)
    }

    init(_ title: String) {
        memory = Array(title.utf8) + [UInt8(ascii: "\n")]
        count = memory.count
        makeRoom(512)
    }

    /// The values of a statement that is signed, as the database has them: numbers, texts, bytes and nothing.
    init(_ title: String, _ values: [SQLValue]) {
        self.init(title)
        for value in values {
            switch value {
            case .integer(let number): append(number)
            case .text(let text): append(text)
            case .bytes(let bytes): append(bytes)
            case .null, .boolean, .integers, .texts, .byteStrings, .foreign: appendNothing()
            }
        }
    }

    var bytes: [UInt8] { Array(memory[..<count]) }

    func withUnsafeBytes<Value>(
        from start: Int = 0,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value {
        try memory.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<count])) }
    }

    /// Takes all away, to write other values in the same memory.
    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ number: Int64) {
        makeRoom(MemoryLayout<Int64>.size)
        let start = count
        memory.withUnsafeMutableBytes {
            $0.storeBytes(of: number.bigEndian, toByteOffset: start, as: Int64.self)
        }
        count = start + MemoryLayout<Int64>.size
    }

    mutating func append(_ text: String?) {
        guard let text else { return appendNothing() }
        if text.utf8.withContiguousStorageIfAvailable({ append(UnsafeRawBufferPointer($0)) }) == nil {
            append(Array(text.utf8))
        }
    }

    mutating func append(_ value: [UInt8]?) {
        guard let value else { return appendNothing() }
        value.withUnsafeBytes { append($0) }
    }

    private mutating func append(_ value: UnsafeRawBufferPointer) {
        let lengthBytes = MemoryLayout<UInt32>.size
        makeRoom(lengthBytes + value.count)
        let start = count
        let end = start + lengthBytes + value.count
        memory.withUnsafeMutableBytes { memory in
            let length = UInt32(truncatingIfNeeded: value.count)
            memory.storeBytes(of: length.bigEndian, toByteOffset: start, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: memory[(start + lengthBytes)..<end]).copyMemory(from: value)
        }
        count = end
    }

    private mutating func appendNothing() {
        makeRoom(MemoryLayout<UInt32>.size)
        let start = count
        memory.withUnsafeMutableBytes { $0.storeBytes(of: UInt32.max, toByteOffset: start, as: UInt32.self) }
        count = start + MemoryLayout<UInt32>.size
    }

    private mutating func makeRoom(_ more: Int) {
        guard count + more > memory.count else { return }
        let size = max(count + more, 2 * memory.count)
        memory.append(contentsOf: repeatElement(0, count: size - memory.count))
    }
}
