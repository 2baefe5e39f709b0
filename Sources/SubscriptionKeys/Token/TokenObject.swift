import CPKCS11
import Synchronization

/// A private key in a token, and the way to it.
final class TokenObject: Sendable {
    let uri: TokenURI
    let module: TokenModule
    let pin: TokenPIN?

    init(_ uri: TokenURI, in module: TokenModule, pin: TokenPIN?) {
        self.uri = uri
        self.module = module
        self.pin = pin
    }

    /// Finds the one token and the one key that the URI names, logged in where that is needed.
    func open() throws(TokenFault) -> TokenSession {
        let token = try token()
        var handle: CK_SESSION_HANDLE = 0
        try check("C_OpenSession", unsafe cpkcs11_open_session(module.functions, token.slot, &handle))
        let epoch = module.epoch.load(ordering: .sequentiallyConsistent)
        do throws(TokenFault) {
            try login(handle, token)
            let session = TokenSession(of: self, handle, epoch: epoch, token: token.label)
            session.key = try privateKey(in: session)
            return session
        } catch {
            _ = unsafe cpkcs11_close_session(module.functions, handle)
            throw error
        }
    }

    private struct Token {
        let slot: CK_SLOT_ID
        let label: String
        let serial: String
        let flags: CK_FLAGS
        let manufacturer: String
        let model: String

        /// How a fault shows it.
        var name: String { "\"\(label)\" (serial \(serial), slot-id \(slot))" }
    }

    private func token() throws(TokenFault) -> Token {
        var slots = [CK_SLOT_ID](repeating: 0, count: 64)
        var count = CK_ULONG(slots.count)
        try check("C_GetSlotList", unsafe cpkcs11_slots(module.functions, &slots, &count))
        var tokens: [Token] = []
        for slot in slots.prefix(Int(count)) {
            var info = CK_TOKEN_INFO()
            // A token that is pulled out meanwhile, not recognised or empty is none.
            guard unsafe cpkcs11_token(module.functions, slot, &info) == CKR_OK,
                info.flags & UInt(CKF_TOKEN_INITIALIZED) != 0
            else { continue }
            tokens.append(
                Token(
                    slot: slot,
                    label: Self.text(&info.label),
                    serial: Self.text(&info.serialNumber),
                    flags: info.flags,
                    manufacturer: Self.text(&info.manufacturerID),
                    model: Self.text(&info.model)
                )
            )
        }
        let found = tokens.filter { token in
            let texts = [
                "token": token.label, "serial": token.serial, "manufacturer": token.manufacturer, "model": token.model,
            ]
            return uri.slotId ?? token.slot == token.slot
                && texts.allSatisfy { name, text in uri.texts[name] ?? text == text }
        }
        guard found.count == 1 else {
            let names = tokens.isEmpty ? "it has none" : "it has \(tokens.map(\.name).joined(separator: ", "))"
            throw TokenFault(
                found.isEmpty ? "CKR_TOKEN_NOT_PRESENT" : "several_tokens",
                found.isEmpty
                    ? "the module \(module.path) has no token that the URI names; \(names)"
                    : "the URI names \(found.count) tokens of \(module.path); \(names): add serial= to the URI"
            )
        }
        return found[0]
    }

    /// Logs in, unless the process is, and only where the PIN may be tried.
    private func login(_ session: CK_SESSION_HANDLE, _ token: Token) throws(TokenFault) {
        guard token.flags & UInt(CKF_LOGIN_REQUIRED) != 0 else { return }
        let result = module.login.withLock { _ -> Result<Void, TokenFault> in
            Result { () throws(TokenFault) in
                var isLoggedIn: Int32 = 0
                try check("C_GetSessionInfo", unsafe cpkcs11_is_logged_in(module.functions, session, &isLoggedIn))
                guard isLoggedIn == 0 else { return }
                guard let pin else {
                    let fix = "add ?pin-source=file:NAME to the URI"
                    throw TokenFault("no_pin", "the token \(token.name) wants a PIN: \(fix)")
                }
                guard !module.refusedPINs.withLock({ $0.contains(token.name) }) else {
                    throw TokenFault(
                        "CKR_PIN_INCORRECT",
                        "the token \(token.name) has refused a PIN, and none is tried again until the configuration is "
                            + "read anew",
                        isFinal: true
                    )
                }
                guard token.flags & UInt(CKF_USER_PIN_LOCKED | CKF_USER_PIN_FINAL_TRY) == 0 else {
                    let isLocked = token.flags & UInt(CKF_USER_PIN_LOCKED) != 0
                    throw TokenFault(
                        isLocked ? "CKR_PIN_LOCKED" : "pin_final_try",
                        isLocked
                            ? "the PIN of the token \(token.name) is locked, and was not tried: unlock it with its own tool"
                            : "the token \(token.name) says that one more wrong PIN locks it, so none was tried: log in once "
                                + "with its own tool",
                        isFinal: true
                    )
                }
                let result = pin.withBytes { (bytes: Span<UInt8>) in
                    unsafe bytes.withUnsafeBufferPointer {
                        unsafe cpkcs11_login(module.functions, session, $0.baseAddress, UInt($0.count))
                    }
                }
                switch result {
                case CKR_OK: return
                case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_PIN_LOCKED:
                    _ = module.refusedPINs.withLock { $0.insert(token.name) }
                    throw TokenFault(
                        TokenFault.name(result),
                        "the token \(token.name) refuses the PIN (\(TokenFault.name(result))); it was tried once, and is "
                            + "not tried again until the configuration is read anew: correct the file that pin-source names",
                        isFinal: true
                    )
                default: throw TokenFault("C_Login", result: result)
                }
            }
        }
        try result.get()
    }

    private func privateKey(in session: TokenSession) throws(TokenFault) -> CK_OBJECT_HANDLE {
        let found = try session.objects(CKO_PRIVATE_KEY, label: uri.texts["object"], id: uri.id)
        guard found.count == 1 else {
            var labels: [String] = []
            for object in try session.objects(CKO_PRIVATE_KEY, label: nil, id: nil).prefix(20) {
                let label = session.attribute(CKA_LABEL, of: object) ?? []
                let id = session.attribute(CKA_ID, of: object) ?? []
                labels.append("\"\(String(decoding: label, as: UTF8.self))\" (id \(Self.percent(id)))")
            }
            let names = labels.isEmpty ? "it has none" : "it has \(labels.joined(separator: ", "))"
            throw TokenFault(
                found.isEmpty ? "no_key" : "several_keys",
                found.isEmpty
                    ? "the token \"\(session.token)\" has no private key that the URI names; \(names)"
                    : "the URI names \(found.count) private keys of the token \"\(session.token)\"; \(names): add id= to "
                        + "the URI"
            )
        }
        return found[0]
    }

    private func check(_ step: String, _ result: CK_RV) throws(TokenFault) {
        guard result == CKR_OK else { throw TokenFault(step, result: result) }
    }

    private static func percent(_ id: [UInt8]) -> String {
        id.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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

/// A session with the key that signs in it, on one thread.
// `@unchecked Sendable`: only its thread uses it.
@safe final class TokenSession: @unchecked Sendable {
    /// The token's label.
    let token: String
    fileprivate(set) var key: CK_OBJECT_HANDLE = 0

    private let module: TokenModule
    private let handle: CK_SESSION_HANDLE
    private let epoch: Int
    private weak var owner: TokenObject?

    fileprivate init(of owner: TokenObject, _ handle: CK_SESSION_HANDLE, epoch: Int, token: String) {
        self.owner = owner
        module = owner.module
        self.handle = handle
        self.epoch = epoch
        self.token = token
    }

    /// Whether the module still knows it, and its key is in use.
    var isInUse: Bool { isKnown && owner != nil }
    private var isKnown: Bool { module.epoch.load(ordering: .sequentiallyConsistent) == epoch }

    func close() {
        if isKnown { _ = unsafe cpkcs11_close_session(module.functions, handle) }
    }

    /// r and s, 32 bytes each, of the signature over a SHA-256.
    func sign(_ digest: [UInt8]) throws(TokenFault) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 128)
        var length = CK_ULONG(signature.count)
        let result = unsafe cpkcs11_sign(module.functions, handle, key, digest, &signature, &length)
        guard result == CKR_OK else { throw TokenFault("C_Sign", result: result) }
        guard length == 64 else {
            throw TokenFault("wrong_length", "C_Sign gives \(length) bytes, where a signature of P-256 has 64")
        }
        return Array(signature.prefix(64))
    }

    /// At most 64 objects.
    func objects(_ kind: some BinaryInteger, label: String?, id: [UInt8]?) throws(TokenFault) -> [CK_OBJECT_HANDLE] {
        var objects = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
        var count = CK_ULONG(objects.count)
        let length = CK_ULONG(label?.utf8.count ?? 0)
        let (kind, ids) = (CK_OBJECT_CLASS(kind), CK_ULONG(id?.count ?? 0))
        let result = unsafe cpkcs11_find(module.functions, handle, kind, label, length, id, ids, &objects, &count)
        guard result == CKR_OK else { throw TokenFault("C_FindObjects", result: result) }
        return Array(objects.prefix(Int(count)))
    }

    /// `nil` where the object does not have it, or not to be read.
    func attribute(_ type: some BinaryInteger, of object: CK_OBJECT_HANDLE) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 512)
        var length = CK_ULONG(value.count)
        let type = CK_ATTRIBUTE_TYPE(type)
        let result = unsafe cpkcs11_attribute(module.functions, handle, object, type, &value, &length)
        guard result == CKR_OK else { return nil }
        return Array(value.prefix(Int(length)))
    }
}

extension TokenThreads.Lane {
    /// The thread's session for a key, opened where there is none.
    func session(of object: TokenObject, within limit: Duration) throws(TokenFault) -> TokenSession {
        let name = ObjectIdentifier(object)
        if let known = sessions[name], known.isInUse { return known }
        sessions[name] = nil
        try object.module.threads.beginCall(on: self, within: limit)
        let session = try object.open()
        // Those of keys that a reload has let go, now that another session keeps the process logged in.
        for (name, session) in sessions where !session.isInUse {
            session.close()
            sessions[name] = nil
        }
        sessions[name] = session
        return session
    }

    func dropSession(of object: TokenObject) {
        sessions.removeValue(forKey: ObjectIdentifier(object))?.close()
    }

    func dropSessions() {
        for session in sessions.values { session.close() }
        sessions = [:]
    }
}

/// The PIN of a token, in the secure heap until this object is freed.
// `@unchecked Sendable`: it is only read once it is made.
package final class TokenPIN: @unchecked Sendable {
    private let bytes: SecureBuffer

    /// Reads a file, which only root, this user and, by `access`, their group may read; a line feed at its end is none of it.
    package init(contentsOf path: String, access: FileAccess) throws(KeyError) {
        do throws(KeyError) {
            var file = try KeyFile(path: path, access: access)
            let length = file.text.withBytes { text in
                var length = text.count
                while length > 0, text[length - 1] == UInt8(ascii: "\n") || text[length - 1] == UInt8(ascii: "\r") {
                    length -= 1
                }
                return length
            }
            guard length > 0 else { throw KeyError(.empty, "holds no PIN") }
            file.text.truncate(to: length)
            bytes = file.text
        } catch {
            throw error.ofPIN(at: path, access: access)
        }
    }

    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes(body) }
}
