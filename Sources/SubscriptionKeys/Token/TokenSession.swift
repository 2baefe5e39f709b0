import COpenSSL
import CPKCS11
import Synchronization

/// A session with the key that signs in it, on one thread.
// `@unchecked Sendable`: only its thread uses it.
@safe final class TokenSession: @unchecked Sendable {
    let token: Token
    var key: CK_OBJECT_HANDLE = 0 {
        didSet { authenticatesAlways = attribute(CKA_ALWAYS_AUTHENTICATE, of: key)?.first.map { $0 != 0 } ?? false }
    }

    private let module: TokenModule
    private let handle: CK_SESSION_HANDLE
    private let epoch: Int
    private weak var owner: TokenObject?
    /// Whether the key wants the PIN for each signature.
    private var authenticatesAlways = false

    init(of owner: TokenObject, _ handle: CK_SESSION_HANDLE, in token: Token) {
        self.owner = owner
        module = owner.module
        self.handle = handle
        epoch = module.epoch.load(ordering: .sequentiallyConsistent)
        self.token = token
    }

    /// Whether the module still knows it, and its key is in use.
    var isInUse: Bool { isKnown && owner != nil }
    private var isKnown: Bool { module.epoch.load(ordering: .sequentiallyConsistent) == epoch }

    func close() {
        if isKnown { _ = unsafe cpkcs11_close_session(module.functions, handle) }
    }

    // MARK: Its calls

    func isLoggedIn() throws(TokenFault) -> Bool {
        var answer: Int32 = 0
        try check("C_GetSessionInfo", unsafe cpkcs11_is_logged_in(module.functions, handle, &answer))
        return answer != 0
    }

    func login(_ pin: TokenPIN, isForSignature: Bool) -> CK_RV {
        pin.withBytes { (bytes: Span<UInt8>) in
            unsafe bytes.withUnsafeBufferPointer {
                unsafe cpkcs11_login(module.functions, handle, isForSignature ? 1 : 0, $0.baseAddress, UInt($0.count))
            }
        }
    }

    /// The signature over a message's SHA-256, as ASN.1 DER; nobody has verified it.
    func signature(over message: [UInt8]) throws(TokenFault) -> [UInt8] {
        let digest = try Self.digest(of: message)
        var signature = [UInt8](repeating: 0, count: 128)
        var length = CK_ULONG(signature.count)
        try check("C_SignInit", unsafe cpkcs11_sign_init(module.functions, handle, key))
        if authenticatesAlways { try owner?.authenticate(self) }
        try check("C_Sign", unsafe cpkcs11_sign(module.functions, handle, digest, &signature, &length))
        guard length == 64 else {
            throw TokenFault("wrong_length", "C_Sign gives \(length) bytes, where a signature of P-256 has 64")
        }
        return Self.der(signature)
    }

    /// At most 64 objects.
    func objects(_ kind: some BinaryInteger, label: String?, id: [UInt8]?) throws(TokenFault) -> [CK_OBJECT_HANDLE] {
        var objects = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
        var count = CK_ULONG(objects.count)
        let length = CK_ULONG(label?.utf8.count ?? 0)
        let (kind, ids) = (CK_OBJECT_CLASS(kind), CK_ULONG(id?.count ?? 0))
        var step: UnsafePointer<CChar>?
        let result = unsafe cpkcs11_find(
            module.functions,
            handle,
            kind,
            label,
            length,
            id,
            ids,
            &objects,
            &count,
            &step
        )
        try check(unsafe step.map { unsafe String(cString: $0) } ?? "C_FindObjects", result)
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

    func label(of object: CK_OBJECT_HANDLE) -> String {
        String(decoding: attribute(CKA_LABEL, of: object) ?? [], as: UTF8.self)
    }

    private func check(_ step: String, _ result: CK_RV) throws(TokenFault) {
        guard result == CKR_OK else { throw TokenFault(step, result: result, of: token.slot) }
    }

    // MARK: Its values

    static func digest(of message: [UInt8]) throws(TokenFault) -> [UInt8] {
        do throws(KeyError) {
            return try SHA256.digest(of: message)
        } catch {
            throw TokenFault("digest", error.reason)
        }
    }

    static func randomBytes() throws(TokenFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        KeyError.clearOpenSSLQueue()
        guard unsafe RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
            throw TokenFault("random_bytes", KeyError(openSSL: "RAND_bytes").reason)
        }
        return bytes
    }

    /// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3) of r and s, 32 bytes each.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        for number in [raw[..<32], raw[32..<64]] {
            var digits = Array(number.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            body += [0x02, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(body.count)] + body
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
