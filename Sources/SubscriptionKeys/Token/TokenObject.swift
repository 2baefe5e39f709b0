import CPKCS11
import Synchronization

/// A private key in a token, and the way to it.
final class TokenObject: Sendable {
    let uri: TokenURI
    let module: TokenModule
    let pin: TokenPIN?
    /// The serial number of the token that the key was found in: no other gets its PIN.
    private let serial = Mutex<String?>(nil)

    init(_ uri: TokenURI, in module: TokenModule, pin: TokenPIN?) {
        self.uri = uri
        self.module = module
        self.pin = pin
    }

    /// Finds the one token and the one key that the URI names, logged in where that is needed.
    func open() throws(TokenFault) -> TokenSession {
        let token = try token()
        let isKnown = serial.withLock { known in
            defer { known = known ?? token.serial }
            return known == nil || known == token.serial
        }
        guard isKnown else {
            throw TokenFault("other_token", "another token has the name of the key's, \(token.name): a reload takes it")
        }
        var handle: CK_SESSION_HANDLE = 0
        let result = unsafe cpkcs11_open_session(module.functions, token.slot, &handle)
        guard result == CKR_OK else { throw TokenFault("C_OpenSession", result: result, of: token.slot) }
        let session = TokenSession(of: self, handle, in: token)
        do throws(TokenFault) {
            if token.flags & UInt(CKF_LOGIN_REQUIRED) != 0 { try login(session) }
            session.key = try privateKey(in: session)
            return session
        } catch {
            session.close()
            throw error
        }
    }

    private func token() throws(TokenFault) -> Token {
        let (tokens, silent) = try Token.all(of: module, for: uri)
        let found = tokens.filter { $0.matches(uri) }
        guard found.count == 1 else {
            if found.isEmpty, let silent { throw silent }
            let names = tokens.isEmpty ? "it has none" : "it has \(tokens.map(\.name).joined(separator: ", "))"
            throw TokenFault(
                found.isEmpty ? "CKR_TOKEN_NOT_PRESENT" : "several_tokens",
                found.isEmpty
                    ? "the module \(module.path) has no token that the URI names; \(names)"
                    : "the URI names \(found.count) tokens of \(module.path); \(names): add serial= to the URI",
                isMiss: found.isEmpty
            )
        }
        return found[0]
    }

    private func privateKey(in session: TokenSession) throws(TokenFault) -> CK_OBJECT_HANDLE {
        let found = try session.objects(CKO_PRIVATE_KEY, label: uri.texts["object"], id: uri.id)
        guard found.count == 1 else {
            var labels: [String] = []
            for object in try session.objects(CKO_PRIVATE_KEY, label: nil, id: nil).prefix(20) {
                let id = session.attribute(CKA_ID, of: object) ?? []
                labels.append("\"\(session.label(of: object).shown)\" (id \(Self.percent(id)))")
            }
            let names =
                labels.isEmpty ? "it has none\(module.missingParameters)" : "it has \(labels.joined(separator: ", "))"
            throw TokenFault(
                found.isEmpty ? "no_key" : "several_keys",
                found.isEmpty
                    ? "the token \(session.token.name) has no private key that the URI names; \(names)"
                    : "the URI names \(found.count) private keys of the token \(session.token.name); \(names): add id= to "
                        + "the URI",
                isMiss: found.isEmpty
            )
        }
        return found[0]
    }

    private static func percent(_ id: [UInt8]) -> String {
        id.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: The PIN

    /// Logs in, unless the process is.
    private func login(_ session: TokenSession) throws(TokenFault) {
        let result = module.login.withLock { _ -> Result<Void, TokenFault> in
            Result { () throws(TokenFault) in
                if try !session.isLoggedIn() { try tryPIN(in: session, isForSignature: false) }
            }
        }
        try result.get()
    }

    /// Logs in for the signature that the session has begun.
    func authenticate(_ session: TokenSession) throws(TokenFault) {
        let result = module.login.withLock { _ -> Result<Void, TokenFault> in
            Result { () throws(TokenFault) in try tryPIN(in: session, isForSignature: true) }
        }
        try result.get()
    }

    /// Tries the PIN, only where it may be tried.
    private func tryPIN(in session: TokenSession, isForSignature: Bool) throws(TokenFault) {
        let token = session.token
        guard let pin else {
            throw TokenFault("no_pin", "the token \(token.name) wants a PIN: add ?pin-source=file:NAME to the URI")
        }
        guard module.pins.withLock({ $0.mayTry(pin, at: token.name) }) else {
            throw TokenFault(
                "CKR_PIN_INCORRECT",
                "the token \(token.name) has refused a PIN, and none is tried again until the configuration is read anew",
                isFinal: true
            )
        }
        let flags = try Token.flags(of: token.slot, in: module)
        guard flags & UInt(CKF_USER_PIN_LOCKED) == 0 else {
            throw locked("the PIN of the token \(token.name) is locked, and was not tried")
        }
        guard flags & UInt(CKF_USER_PIN_FINAL_TRY) == 0 else {
            throw TokenFault(
                "pin_final_try",
                "the token \(token.name) says that one more wrong PIN locks it, so none was tried: log in once with its own "
                    + "tool"
            )
        }
        switch session.login(pin, isForSignature: isForSignature) {
        case CKR_OK: module.pins.withLock { $0.accepted[token.name] = TriedPINs.Accepted(pin: pin) }
        case CKR_PIN_LOCKED:
            throw locked("the token \(token.name) did not look at the PIN (CKR_PIN_LOCKED), as it is locked")
        case let result where [CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED].contains(result):
            module.pins.withLock { $0.refuse(pin, at: token.name) }
            throw TokenFault(
                TokenFault.name(result),
                "the token \(token.name) refuses the PIN (\(TokenFault.name(result))); it was tried once, and is not tried "
                    + "again until the configuration is read anew: correct the file that pin-source names",
                isFinal: true
            )
        case let result: throw TokenFault("C_Login", result: result, of: token.slot)
        }
    }

    /// A PIN that nobody judged: it is tried again when it may be.
    private func locked(_ finding: String) -> TokenFault {
        TokenFault("CKR_PIN_LOCKED", "\(finding): wait, or unlock it with its own tool")
    }
}
