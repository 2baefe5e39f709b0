/// A parameter of a URL's query, its name and value decoded.
typealias QueryParameter = (name: String, value: String)

/// The parameters of a URL's query, each of a known name.
struct QueryParameters {
    private let parameters: [QueryParameter]

    /// Checks the names.
    ///
    /// - Parameters:
    ///   - parameters: The parameters, in their order.
    ///   - names: The names that are known.
    /// - Throws: `Problem` 400 for another name, as for an unknown member of a body.
    init(_ parameters: [QueryParameter], names: [String]) throws(Problem) {
        for parameter in parameters where !names.contains(parameter.name) {
            throw .invalidParameter("There is no such parameter; known here: \(names.joined(separator: ", ")).")
        }
        self.parameters = parameters
    }

    /// The value of a parameter that must not repeat.
    ///
    /// - Parameter name: The parameter's name.
    /// - Returns: The value; `nil` when it is not there.
    /// - Throws: `Problem` 400 when it is there twice.
    func value(of name: String) throws(Problem) -> String? {
        let values = values(of: name)
        guard values.count <= 1 else { throw .invalidParameter("The parameter \(name) is there twice.") }
        return values.first
    }

    /// The values of a parameter, in their order.
    ///
    /// - Parameter name: The parameter's name.
    /// - Returns: The values.
    func values(of name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }
}
