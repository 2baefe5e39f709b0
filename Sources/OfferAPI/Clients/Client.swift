package import Offers
import StrictJSON

/// An app's backend that may call the service, as `clients.yaml` describes it.
package final class Client: Sendable {
    package let name: String
    /// The SHA-256 of each bearer token, 32 bytes, two while one replaces the other; the token itself is never stored.
    package let tokenSHA256: [[UInt8]]
    /// When tokens of ``tokenSHA256`` end; those that are not here never do.
    package let expires: [[UInt8]: Timestamp]
    /// The bundle identifiers of its apps.
    package let apps: Set<String>
    package let scopes: Set<ClientScope>
    package let evidence: Set<EvidenceKind>
    /// The environments of its apps whose evidence counts for it; `nil` for all that count for the app.
    package let environments: Set<AppStoreEnvironment>?
    /// The offers in a second that it may ask signatures for; `nil` for any number.
    package let signaturesPerSecond: Int?
    /// The requests that it may have at once; `nil` for any number.
    package let concurrentRequests: Int?

    package init(
        name: String,
        tokenSHA256: [[UInt8]],
        expires: [[UInt8]: Timestamp] = [:],
        apps: Set<String>,
        scopes: Set<ClientScope> = ClientScope.byDefault,
        evidence: Set<EvidenceKind> = evidenceByDefault,
        environments: Set<AppStoreEnvironment>? = nil,
        signaturesPerSecond: Int? = nil,
        concurrentRequests: Int? = nil
    ) {
        self.name = name
        self.tokenSHA256 = tokenSHA256
        self.expires = expires
        self.apps = apps
        self.scopes = scopes
        self.evidence = evidence
        self.environments = environments
        self.signaturesPerSecond = signaturesPerSecond
        self.concurrentRequests = concurrentRequests
    }
}

extension Client {
    package static let evidenceByDefault = Set(EvidenceKind.allCases.filter(\.isAllowedByDefault))
}

extension Client: Equatable {
    package static func == (left: Client, right: Client) -> Bool {
        left.name == right.name && left.tokenSHA256 == right.tokenSHA256 && left.expires == right.expires
            && left.apps == right.apps && left.scopes == right.scopes
            && left.evidence == right.evidence && left.environments == right.environments
            && left.signaturesPerSecond == right.signaturesPerSecond
            && left.concurrentRequests == right.concurrentRequests
    }
}

/// The calls that a client may make; the raw values are the names of `scopes` in `clients.yaml`.
package enum ClientScope: String, CaseIterable, Sendable {
    /// `POST /v1/signatures` and `POST /v1/introductory-eligibility-signatures`.
    case sign
    /// `POST /v1/eligibility`.
    case eligibility
    /// `POST /v1/product-reports` and `GET /v1/products`.
    case report
    /// `POST /v1/diagnoses`.
    case diagnose
    /// `GET /v1/redemptions`.
    case redemptions

    /// The scopes of a client that names none: identifiers of transactions are evidence, and go only to one that names
    /// the scope.
    package static let byDefault = Set(allCases).subtracting([.redemptions])
}

extension Client {
    /// The app that a call names, or the client's only one; throws 403 for another's app, 400 for none of several.
    func app(named bundleId: String?) throws(Problem) -> String {
        if let bundleId {
            guard let index = apps.firstIndex(of: bundleId), apps[index].hasSameBytes(as: bundleId) else {
                throw .appNotAllowed
            }
            return bundleId
        }
        guard apps.count == 1, let only = apps.first else {
            throw Problem(
                JSONFault(.missingMember, "This client may ask for several apps; name one.").inside(member: "bundleId")
            )
        }
        return only
    }

    /// The same for a call whose URL names the app.
    func app(namedIn parameters: QueryParameters) throws(Problem) -> String {
        let bundleId = try parameters.value(of: "bundleId")
        guard bundleId != nil || apps.count == 1 else {
            throw .invalidParameter(
                "The parameter bundleId is missing: this client may ask for several apps; name one."
            )
        }
        do throws(Problem) {
            return try app(named: bundleId)
        } catch {
            throw Problem(status: error.status, code: error.code, detail: error.detail)
        }
    }
}
