import AppStoreSimulator
import ArgumentParser
import LoadGenerator

/// The service that load is put on.
struct LoadTarget {
    let address: ServiceAddress
    let token: String
    let simulator: ServiceAddress?
    /// What signs as that simulator does, if its directory is known.
    let signer: AppStoreSigner?
    let checker: SignatureChecker?
    let processes: [Int32]
    /// About which customers Apple's retention calls are, where those are made.
    var retention: RetentionCustomers?
}

struct RetentionCustomers {
    let bundleId: String
    let appAppleId: Int64
    let productIds: [String]
}

/// The options of `load` that say what load is put on.
struct LoadTargetOptions: ParsableArguments {
    static let ownConfiguration = "keys.example/offer-signer.yaml"

    @Option(
        help: .init(
            "Where the service listens, such as http://127.0.0.1:8080; https is not supported.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(help: .init("The client's token, whose SHA-256 is in clients.yaml.", valueName: "token"))
    var token: String?

    @Flag(help: "Put load on a host that is not this machine.")
    var allowRemote = false

    @Option(
        help: .init(
            "The service's process id; several may be named. Their CPU time and memory are measured, too.",
            valueName: "number"
        )
    )
    var pid: [Int32] = []

    @Flag(
        help: """
            Make Apple's retention calls instead, to the notifications listener at --url, signed by --simulator-directory.
            """
    )
    var retention = false

    @Flag(
        name: .customLong("self"),
        help: "Start a service and an App Store simulator for the run. Leave out --url and --token."
    )
    var runsOwn = false

    @Option(
        help: .init(
            """
            The configuration of the service that --self starts. The run adds its own client and ledger \
            (default: \(LoadTargetOptions.ownConfiguration)).
            """,
            valueName: "file"
        )
    )
    var config: String?

    @Option(
        help: .init(
            "The executable of the service that --self starts (default: the offer-signer beside this one).",
            valueName: "path"
        )
    )
    var service: String?

    @Option(
        help: .init(
            "The empty ledger of the service that --self starts, such as postgres://USER@HOST/DB (default: a file).",
            valueName: "url"
        )
    )
    var ledger: String?

    func validate() throws {
        if runsOwn {
            let given = [url.map { _ in "--url" }, token.map { _ in "--token" }, pid.first.map { _ in "--pid" }]
            if let option = given.compactMap(\.self).first {
                throw ValidationError("--self starts a service of its own: leave \(option) out.")
            }
            return
        }
        guard config == nil else { throw ValidationError("--config is that of the service that --self starts.") }
        guard ledger == nil else { throw ValidationError("--ledger is that of the service that --self starts.") }
        guard service == nil else { throw ValidationError("--service is the executable that --self starts.") }
        try validateAddress()
        if let stranger = pid.first(where: { !ProcessUsage.canBeMeasured(of: $0) }) {
            throw ValidationError("--pid: there is no process \(stranger) on this machine.")
        }
        let address = try address("--url", url)
        if let address, !address.isLoopback, !allowRemote {
            throw ValidationError(
                "\(address.host) may be another machine: load can put a service out of order. Say --allow-remote if it "
                    + "is yours."
            )
        }
    }

    private func validateAddress() throws {
        guard !retention else {
            guard url != nil, token == nil else {
                throw ValidationError("--retention takes --url of the listener for Apple, or --self, and no --token.")
            }
            return
        }
        guard url != nil, let token else {
            throw ValidationError("Give --url and --token of a running service, or --self to have one started.")
        }
        // The token goes into a header field as it is.
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("--token is visible ASCII without spaces.")
        }
    }

    func makeTarget(
        _ checker: SignatureChecker?,
        _ simulator: ServiceAddress?,
        _ signer: AppStoreSigner?,
        _ customers: RetentionCustomers?
    ) throws -> LoadTarget {
        guard let address = try address("--url", url) else { throw ValidationError("--url is missing.") }
        return LoadTarget(
            address: address,
            token: token ?? "",
            simulator: simulator,
            signer: signer,
            checker: checker,
            processes: Array(Set(pid)),
            retention: customers
        )
    }
}

/// The address that an option has; `nil` when the option was not given.
func address(_ option: String, _ text: String?) throws -> ServiceAddress? {
    guard let text else { return nil }
    do throws(LoadFault) {
        return try ServiceAddress(text)
    } catch {
        throw ValidationError("\(option): \(error).")
    }
}
