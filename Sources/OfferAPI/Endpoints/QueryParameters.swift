import Offers
import StrictJSON

/// A parameter of a URL's query, its name and value decoded.
typealias QueryParameter = (name: String, value: String)

/// The parameters of a URL's query, each of a known name and with a value.
struct QueryParameters {
    private let parameters: [QueryParameter]

    /// Checks the names, and that no value is empty.
    init(_ parameters: [QueryParameter], names: [String]) throws(Problem) {
        for (name, value) in parameters {
            guard names.contains(name) else {
                throw .invalidParameter(
                    names.isEmpty
                        ? "This call has no parameters."
                        : "One of the parameters is not known; "
                            + (NearestName.question(for: name, among: names).map { $0 + " " } ?? "")
                            + "known here: \(names.joined(separator: ", "))."
                )
            }
            guard !value.isEmpty else { throw .invalidParameter("The parameter \(name) is empty.") }
        }
        self.parameters = parameters
    }

    init(of query: Substring, names: [String]) throws(Problem) {
        var parameters: [QueryParameter] = []
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(parts[0]).percentDecoded,
                let value = String(parts.dropFirst().first ?? "").percentDecoded
            else { throw .invalidParameter("The parameters are not percent-encoded UTF-8 (RFC 3986 §2.1).") }
            parameters.append((name, value))
        }
        try self.init(parameters, names: names)
    }

    /// The value of a parameter; throws 400 where the parameter repeats.
    func value(of name: String) throws(Problem) -> String? {
        let values = values(of: name)
        guard values.count <= 1 else { throw .invalidParameter("The parameter \(name) is there twice.") }
        return values.first
    }

    func values(of name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }
}
