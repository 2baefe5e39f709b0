/// A number modulo the order of P-256 (SEC 2 §2.4.2), slowly: what a signature is computed with.
struct P256Scalar: Equatable {
    /// Its 64-bit digits, the lowest first.
    private(set) var digits: [UInt64]

    private static let order: [UInt64] = [
        0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000,
    ]

    /// Takes a number from up to 32 bytes, big-endian, below twice the order.
    init(bigEndian bytes: some Collection<UInt8>) {
        var digits: [UInt64] = [0, 0, 0, 0]
        for (place, byte) in bytes.reversed().prefix(32).enumerated() {
            digits[place / 8] |= UInt64(byte) << UInt64(place % 8 * 8)
        }
        self.digits = digits
        reduce(carry: false)
    }

    /// Its bytes by eighths of them, in both orders: what fits a register.
    var patterns: [[UInt8]] {
        let eighths = digits.map { digit in (0..<8).map { UInt8(truncatingIfNeeded: digit >> ($0 * 8)) } }
        return eighths + eighths.map { $0.reversed() }
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        var carry = false
        for place in 0..<4 {
            let (first, overflow) = sum.digits[place].addingReportingOverflow(right.digits[place])
            let (second, another) = first.addingReportingOverflow(carry ? 1 : 0)
            sum.digits[place] = second
            carry = overflow || another
        }
        sum.reduce(carry: carry)
        return sum
    }

    static func * (left: Self, right: Self) -> Self {
        var product = Self(bigEndian: [])
        for place in (0..<256).reversed() {
            product = product + product
            if right.digits[place / 64] >> UInt64(place % 64) & 1 == 1 { product = product + left }
        }
        return product
    }

    /// What gives one, multiplied with it (Fermat: to the power of the order less two).
    var inverse: Self {
        var exponent = Self.order
        exponent[0] -= 2
        var power = Self(bigEndian: [1])
        for place in (0..<256).reversed() {
            power = power * power
            if exponent[place / 64] >> UInt64(place % 64) & 1 == 1 { power = power * self }
        }
        return power
    }

    private mutating func reduce(carry: Bool) {
        let isBelow = digits.reversed().lexicographicallyPrecedes(Self.order.reversed())
        guard carry || !isBelow else { return }
        var borrow = false
        for place in 0..<4 {
            let (first, overflow) = digits[place].subtractingReportingOverflow(Self.order[place])
            let (second, another) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            digits[place] = second
            borrow = overflow || another
        }
    }
}
