import CPKCS11
import Dispatch
import Glibc
import Synchronization

/// The PKCS#11 modules that the process was started with: a catalog that is reloaded brings no code into it.
package final class TokenModules: Sendable {
    private let modules: [TokenModule]

    /// Loads modules, with so many threads each, which give up a call after `timeout`.
    package init(_ files: [TokenModuleFile], sessions: Int, timeout: Duration) throws(KeyError) {
        var modules: [TokenModule] = []
        for file in files {
            guard !modules.contains(where: { $0.path == file.path }) else {
                throw KeyError(.token, "\(file.path) is named twice; keep one")
            }
            modules.append(try TokenModule(file, sessions: sessions, timeout: timeout))
        }
        self.modules = modules
    }

    /// The configuration is read anew: a PIN that was refused may be tried once more, and a token that is missed, looked for
    /// once more.
    package func beginReading() {
        for module in modules { module.beginReading() }
    }

    /// The number of times that a token or its module failed, by the name of the result (`CKR_…`), or `timeout`.
    package var faults: [String: Int] {
        modules.reduce(into: [:]) { $0.merge($1.faults.withLock { $0 }, uniquingKeysWith: +) }
    }

    /// The module of a key; `path` is the absolute one that its URI names, `nil` where it names none.
    func module(at path: String?) throws(KeyError) -> TokenModule {
        guard let path else {
            guard let module = modules.first else {
                throw KeyError(.token, "no module is loaded: name it in offer-signer.yaml, pkcs11: { modules: [FILE] }")
            }
            guard modules.count == 1 else {
                throw KeyError(.token, "several modules are loaded: add ?module-path=FILE to the URI")
            }
            return module
        }
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        let file = unsafe resolved.map { unsafe String(cString: $0) }
        guard let module = modules.first(where: { $0.path == file }) else {
            throw KeyError(
                .token,
                "module-path is none of the modules that the process was started with: name it in pkcs11.modules of "
                    + "offer-signer.yaml, and restart"
            )
        }
        return module
    }
}

/// A module, loaded for the life of the process, with its threads.
// `@unchecked Sendable`: PKCS#11 lets many threads call a module that was initialised with CKF_OS_LOCKING_OK.
@safe final class TokenModule: @unchecked Sendable {
    let path: String
    let functions: UnsafeMutablePointer<CK_FUNCTION_LIST>
    let threads: TokenThreads
    /// Counted up when it is initialised anew: sessions from before are gone.
    let epoch = Atomic(0)
    let pins = Mutex(TriedPINs())
    /// Held while a thread logs in, however long the token takes.
    let login = Mutex(())
    let faults = Mutex<[String: Int]>([:])

    private struct Recovery {
        var keys: [WeakKey] = []
        var isUnderWay = false
        var pause = TokenModule.firstPause
        /// Whether it was initialised for an earlier reading of the configuration than the last.
        var isOfBefore = false
    }

    private struct WeakKey {
        weak var key: TokenKey?
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    /// What C_Initialize gets, for good, as a module may keep the pointer.
    private let parameters: UnsafeMutablePointer<CChar>?
    /// To follow a fault that parameters may end; empty where the module has some.
    let missingParameters: String
    private let recovery = Mutex(Recovery())
    private let keeper = DispatchQueue(label: "token.recovery")

    private static func missingParameters(of file: TokenModuleFile) -> String {
        guard file.parameters == nil else { return "" }
        return ": if it needs parameters, as NSS does, write { file: \(file.path), parameters: \"…\" }"
    }

    init(_ file: TokenModuleFile, sessions: Int, timeout: Duration) throws(KeyError) {
        path = file.path
        var reason: UnsafePointer<CChar>?
        guard let functions = unsafe cpkcs11_open(path, &reason) else {
            let text = unsafe reason.map { unsafe String(cString: $0) } ?? "for no known reason"
            throw KeyError(.token, "\(path) is no PKCS#11 module that can be loaded (\(text))")
        }
        unsafe parameters = file.parameters.flatMap { unsafe strdup($0) }
        let result = unsafe cpkcs11_initialize(functions, parameters)
        guard result == CKR_OK else {
            let fix = result == CKR_ARGUMENTS_BAD ? Self.missingParameters(of: file) : ""
            throw KeyError(
                .token,
                "\(path) cannot be initialised (C_Initialize answers \(TokenFault.name(result)))\(fix)"
            )
        }
        unsafe self.functions = functions
        missingParameters = Self.missingParameters(of: file)
        threads = TokenThreads(count: sessions, timeout: timeout)
    }

    func count(_ name: String) { faults.withLock { $0[name, default: 0] += 1 } }

    /// Does some work on a thread that fits, and waits for it: for loading and commands, not on an event loop.
    func wait<Value: Sendable>(
        on fits: @escaping @Sendable (Int) -> Bool,
        for work: @escaping @Sendable (TokenThreads.Lane) throws(TokenFault) -> Value
    ) throws(TokenFault) -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Value, TokenFault>?>(nil)
        threads.run(on: fits, waiting: .seconds(10)) { lane in
            Result { () throws(TokenFault) in try work(lane) }
        } orGiveUp: { fault in
            .failure(fault)
        } completion: { value in
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return try (result.withLock { $0 } ?? .failure(threads.lateness)).get()
    }

    // MARK: Recovery

    func add(_ key: TokenKey) {
        recovery.withLock { recovery in
            recovery.keys.removeAll { $0.key == nil }
            recovery.keys.append(WeakKey(key: key))
        }
    }

    func beginReading() {
        pins.withLock { $0.refusing = [] }
        recovery.withLock { $0.isOfBefore = true }
    }

    /// Initialises the module anew for a reload that misses something, once for each; whether it did.
    func reinitialiseOnce() -> Bool {
        let isOfBefore = recovery.withLock { recovery in
            defer { recovery.isOfBefore = false }
            return recovery.isOfBefore
        }
        guard isOfBefore,
            threads.whileNobodyIsInside(within: threads.timeout * 2 * TokenThreads.patience, initialiseAnew)
        else { return false }
        // Logged in by the keys in use before any new PIN is tried.
        for key in keys { key.proveSessions() }
        return true
    }

    /// Has the sessions that do not sign tried again, after a pause that grows as long as some do not.
    func recover() {
        let pause: Duration? = recovery.withLock { recovery in
            guard !recovery.isUnderWay else { return nil }
            recovery.isUnderWay = true
            return recovery.pause
        }
        if let pause { recover(after: pause) }
    }

    private func recover(after pause: Duration) {
        keeper.asyncAfter(deadline: .now() + .nanoseconds(Int(pause / .nanoseconds(1)))) { [self] in
            let keys = self.keys
            for key in keys where key.isToBeTriedAgain { key.proveSessions() }
            // Some modules answer nothing any more until they are initialised anew: as a whole, so only if nobody's key
            // works.
            if keys.contains(where: \.isToBeTriedAgain), keys.allSatisfy(\.isCutOff),
                threads.whileNobodyIsInside(within: .zero, initialiseAnew)
            {
                for key in keys { key.proveSessions() }
            }
            let isDone = !keys.contains(where: \.isToBeTriedAgain)
            let next: Duration? = recovery.withLock { recovery in
                recovery.pause = isDone ? Self.firstPause : min(recovery.pause * 2, Self.longestPause)
                recovery.isUnderWay = !isDone
                return isDone ? nil : recovery.pause
            }
            if let next {
                recover(after: next)
            } else if self.keys.contains(where: \.isToBeTriedAgain) {
                // It failed while the recovery ended.
                recover()
            }
        }
    }

    private var keys: [TokenKey] { recovery.withLock { $0.keys.compactMap(\.key) } }

    private func initialiseAnew() {
        _ = unsafe cpkcs11_finalize(functions)
        epoch.add(1, ordering: .sequentiallyConsistent)
        let result = unsafe cpkcs11_initialize(functions, parameters)
        if result != CKR_OK { count(TokenFault.name(result)) }
    }
}

/// A refusal of a module or a token.
struct TokenFault: Error {
    /// The name of the result, or a word for what PKCS#11 has no name: the value of a metric's label.
    let name: String
    /// A clause with what was found, for an operator.
    let detail: String
    /// Whether it would be refused again until the configuration is read anew.
    var isFinal = false
    /// Whether a module that is initialised anew may find what was missed.
    var isMiss = false

    static let wrongSignature = "wrong_signature"

    init(_ name: String, _ detail: String, isFinal: Bool = false, isMiss: Bool = false) {
        self.name = name
        self.detail = detail
        self.isFinal = isFinal
        self.isMiss = isMiss
    }

    init(_ step: String, result: CK_RV, of slot: CK_SLOT_ID) {
        let name = Self.name(result)
        self.init(name, "\(step) answers \(name) (slot-id \(slot))", isMiss: step != "C_Login")
    }

    static func name(_ result: CK_RV) -> String {
        if let name = unsafe cpkcs11_name(result) { return unsafe String(cString: name) }
        return result >= 0x8000_0000 ? "CKR_VENDOR_DEFINED" : "CKR_OTHER"
    }
}
