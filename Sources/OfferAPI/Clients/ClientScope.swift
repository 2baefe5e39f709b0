/// The calls that a client may make; the raw values are the names of `scopes` in `clients.yaml`.
public enum ClientScope: String, CaseIterable, Sendable {
    /// `POST /v1/signatures` and `POST /v1/introductory-eligibility-signatures`.
    case sign
    /// `POST /v1/eligibility`.
    case eligibility
    /// `POST /v1/product-reports` and `GET /v1/products`.
    case report
    /// `POST /v1/diagnoses`.
    case diagnose
}
