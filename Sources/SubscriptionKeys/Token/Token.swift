import CPKCS11

/// A token as its module describes it.
struct Token: Sendable {
    let slot: CK_SLOT_ID
    let serial: String
    let flags: CK_FLAGS
    /// The values of a URI's attributes that name tokens, their slots and modules, as far as they were asked for.
    private let texts: [String: String]

    var label: String { texts["token"] ?? "" }

    /// How a fault shows it.
    var name: String { "\"\(label.shown)\" (serial \(serial.shown), slot-id \(slot))" }

    func matches(_ uri: TokenURI) -> Bool {
        uri.slotId ?? slot == slot && uri.texts.allSatisfy { $0 == "object" || texts[$0] == $1 }
    }

    /// The tokens that a module has, and the fault of one that does not describe itself.
    static func all(of module: TokenModule, for uri: TokenURI) throws(TokenFault) -> ([Token], silent: TokenFault?) {
        var library: [String: String] = [:]
        if uri.texts.keys.contains(where: { $0.hasPrefix("library-") }) {
            var info = CK_INFO()
            let result = unsafe cpkcs11_info(module.functions, &info)
            guard result == CKR_OK else {
                throw TokenFault(TokenFault.name(result), "C_GetInfo answers \(TokenFault.name(result))")
            }
            library["library-manufacturer"] = text(&info.manufacturerID)
            library["library-description"] = text(&info.libraryDescription)
            library["library-version"] = "\(info.libraryVersion.major).\(info.libraryVersion.minor)"
        }
        var tokens: [Token] = []
        var silent: TokenFault?
        for slot in try slots(of: module) {
            var info = CK_TOKEN_INFO()
            switch unsafe cpkcs11_token(module.functions, slot, &info) {
            case CKR_OK: break
            // It was pulled out meanwhile, or is empty.
            case CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED: continue
            case let result:
                silent = TokenFault("C_GetTokenInfo", result: result, of: slot)
                continue
            }
            guard info.flags & UInt(CKF_TOKEN_INITIALIZED) != 0 else { continue }
            var texts = library
            texts["token"] = text(&info.label)
            texts["serial"] = text(&info.serialNumber)
            texts["manufacturer"] = text(&info.manufacturerID)
            texts["model"] = text(&info.model)
            var place = CK_SLOT_INFO()
            if uri.texts.keys.contains(where: { $0.hasPrefix("slot-") }),
                unsafe cpkcs11_slot(module.functions, slot, &place) == CKR_OK
            {
                texts["slot-manufacturer"] = text(&place.manufacturerID)
                texts["slot-description"] = text(&place.slotDescription)
            }
            tokens.append(Token(slot: slot, serial: texts["serial"] ?? "", flags: info.flags, texts: texts))
        }
        return (tokens, silent)
    }

    static func flags(of slot: CK_SLOT_ID, in module: TokenModule) throws(TokenFault) -> CK_FLAGS {
        var info = CK_TOKEN_INFO()
        let result = unsafe cpkcs11_token(module.functions, slot, &info)
        guard result == CKR_OK else { throw TokenFault("C_GetTokenInfo", result: result, of: slot) }
        return info.flags
    }

    private static func slots(of module: TokenModule) throws(TokenFault) -> [CK_SLOT_ID] {
        var result: CK_RV = 0
        // One more may come between the question for their number and that for them.
        for _ in 0..<3 {
            var count: CK_ULONG = 0
            result = unsafe cpkcs11_slots(module.functions, nil, &count)
            guard result == CKR_OK else { break }
            var slots = [CK_SLOT_ID](repeating: 0, count: Int(min(count, 1 << 16)) + 8)
            count = CK_ULONG(slots.count)
            result = unsafe cpkcs11_slots(module.functions, &slots, &count)
            if result == CKR_OK { return Array(slots.prefix(Int(min(count, CK_ULONG(slots.count))))) }
            guard result == CKR_BUFFER_TOO_SMALL else { break }
        }
        let name = TokenFault.name(result)
        throw TokenFault(name, "C_GetSlotList answers \(name)", isMiss: true)
    }

    /// The text of a field of fixed length, which spaces fill.
    private static func text<Field>(_ field: inout Field) -> String {
        unsafe withUnsafeBytes(of: &field) { bytes in
            var text = unsafe Array(bytes)
            while let last = text.last, last == UInt8(ascii: " ") || last == 0 { text.removeLast() }
            return String(decoding: text, as: UTF8.self)
        }
    }
}

extension String {
    /// A token's text as a terminal and a log may have it: what is not visible is written out.
    package var shown: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
