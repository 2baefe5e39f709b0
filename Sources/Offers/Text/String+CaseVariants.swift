extension String {
    /// The text with its ASCII letters in other cases: all the ways there are of a few letters.
    ///
    /// Of more letters those that begin a word are written in either case, and the others in lower case, as in
    /// `Anna.Schmidt@example.com`.
    ///
    /// - Parameter mostLetters: How many letters are few: each doubles the number of variants.
    /// - Returns: The variants, the text itself among them where it is one.
    func caseVariants(ofAtMost mostLetters: Int) -> [String] {
        var bytes = Array(utf8)
        for index in bytes.indices where bytes[index].isUppercaseLetter { bytes[index] |= 0x20 }
        var letters = bytes.indices.filter { bytes[$0].isLowercaseLetter }
        if letters.count > mostLetters {
            letters = Array(letters.filter { $0 == 0 || !bytes[$0 - 1].isLowercaseLetter }.prefix(mostLetters))
        }
        return (0..<1 << letters.count).map { choice in
            var variant = bytes
            for (place, index) in letters.enumerated() where choice >> place & 1 == 1 { variant[index] &= ~0x20 }
            return String(decoding: variant, as: UTF8.self)
        }
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isUppercaseLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
