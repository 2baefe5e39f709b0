import CPKCS11
import Dispatch
import Glibc
import Synchronization

/// The PKCS#11 modules that the process was started with: a catalog that is reloaded brings no code into it.
package final class TokenModules: Sendable {
    private let modules: [TokenModule]

    /// Loads modules by their absolute paths, with so many threads each, which give up a call after `timeout`.
    package init(_ paths: [String], sessions: Int, timeout: Duration) throws(KeyError) {
        var modules: [TokenModule] = []
        for path in paths { modules.append(try TokenModule(path, sessions: sessions, timeout: timeout)) }
        self.modules = modules
    }

    /// From now on a PIN that was refused may be tried once more: the configuration is read anew.
    package func beginReading() {
        for module in modules { module.refusedPINs.withLock { $0 = [] } }
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
        let file = Self.file(path)
        guard let module = modules.first(where: { Self.file($0.path) == file }) else {
            throw KeyError(
                .token,
                "module-path is none of the modules that the process was started with: name it in pkcs11.modules of "
                    + "offer-signer.yaml, and restart"
            )
        }
        return module
    }

    /// The file that links lead to.
    private static func file(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
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
    /// The tokens whose PIN was refused since the configuration was read.
    let refusedPINs = Mutex<Set<String>>([])
    /// Held while a thread logs in, however long the token takes.
    let login = Mutex(())
    let faults = Mutex<[String: Int]>([:])

    private struct Recovery {
        var keys: [WeakKey] = []
        var isUnderWay = false
        var pause = TokenModule.firstPause
    }

    private struct WeakKey {
        weak var key: TokenKey?
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    private let recovery = Mutex(Recovery())
    private let keeper = TokenThreads.Lane(-1)
    private let keeperQueue = DispatchQueue(label: "token.recovery")

    init(_ path: String, sessions: Int, timeout: Duration) throws(KeyError) {
        var reason: UnsafePointer<CChar>?
        guard let functions = unsafe cpkcs11_open(path, &reason) else {
            let text = unsafe reason.map { unsafe String(cString: $0) } ?? "for no known reason"
            throw KeyError(.token, "\(path) is no PKCS#11 module that can be loaded (\(text))")
        }
        let result = unsafe cpkcs11_initialize(functions)
        guard result == CKR_OK else {
            throw KeyError(.token, "\(path) cannot be initialised (\(TokenFault.name(result)))")
        }
        self.path = path
        unsafe self.functions = functions
        threads = TokenThreads(count: sessions, timeout: timeout)
    }

    func count(_ name: String) { faults.withLock { $0[name, default: 0] += 1 } }

    /// Does some work on a thread of the module, and waits for it: for loading and commands, not on an event loop.
    func wait<Value: Sendable>(
        for work: @escaping @Sendable (TokenThreads.Lane) throws(TokenFault) -> Value
    ) throws(TokenFault) -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Value, TokenFault>?>(nil)
        threads.run { lane in
            Result { () throws(TokenFault) in try work(lane) }
        } orGiveUp: { fault in
            .failure(fault)
        } completion: { value in
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return try (result.withLock { $0 } ?? .failure(TokenFault("timeout", "the token has not answered"))).get()
    }

    // MARK: Recovery

    func add(_ key: TokenKey) {
        recovery.withLock { recovery in
            recovery.keys.removeAll { $0.key == nil }
            recovery.keys.append(WeakKey(key: key))
        }
    }

    /// Has the keys that do not sign tried again, after a pause that grows as long as they do not.
    func recover() {
        let pause: Duration? = recovery.withLock { recovery in
            guard !recovery.isUnderWay else { return nil }
            recovery.isUnderWay = true
            return recovery.pause
        }
        if let pause { recover(after: pause) }
    }

    private func recover(after pause: Duration) {
        keeperQueue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause / .nanoseconds(1)))) { [self] in
            let keys = self.keys
            for key in keys { key.tryAgain(on: keeper) }
            // Some modules answer nothing any more until they are initialised anew: as a whole, so only if nobody's key
            // works.
            if keys.contains(where: \.isToBeTriedAgain), keys.allSatisfy({ $0.unavailability != nil }),
                threads.whileNobodyIsInside(initialiseAnew)
            {
                for key in keys { key.tryAgain(on: keeper) }
            }
            keeper.dropSessions()
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
        let result = unsafe cpkcs11_initialize(functions)
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

    init(_ name: String, _ detail: String, isFinal: Bool = false) {
        self.name = name
        self.detail = detail
        self.isFinal = isFinal
    }

    init(_ step: String, result: CK_RV) { self.init(Self.name(result), "\(step) answers \(Self.name(result))") }

    static func name(_ result: CK_RV) -> String {
        if let name = unsafe cpkcs11_name(result) { return unsafe String(cString: name) }
        return result >= 0x8000_0000 ? "CKR_VENDOR_DEFINED" : "CKR_OTHER"
    }
}
