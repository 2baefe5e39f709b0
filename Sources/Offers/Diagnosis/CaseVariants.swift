extension Account {
    /// The account that a payment carries, in every case that a backend may have asked for.
    ///
    /// Many clients lowercase what they set, so a name of few letters is tried in every mixture of cases: there is one
    /// digest to make for each, and no signature to verify.
    package var caseVariants: [Account] {
        switch self {
        case .none: return [self]
        case .appAccountToken(let token): return [self, .applicationUsername(token.lowercased.uppercased())]
        case .applicationUsername(let name):
            let token = AppAccountToken(name).map { [Account.appAccountToken($0)] } ?? []
            // A thousand mixtures.
            let names = [name.lowercased(), name.uppercased()] + name.caseVariants(ofAtMost: 10)
            return [self] + token + names.map { .applicationUsername($0) }
        }
    }
}

extension String {
    /// The text with its ASCII letters in other cases: all variants of a few letters, itself where it is one.
    ///
    /// Each letter doubles the number of variants. Of more letters those that begin a word are written in either case,
    /// and the others in lower case, as in `Anna.Schmidt@example.com`.
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
