import Foundation

extension RunningService {
    /// What `/metrics` answers, by name and labels as they stand there.
    ///
    /// - Returns: The values.
    /// - Throws: `Failure` when it does not answer.
    func metrics() throws -> [String: Double] {
        let response = try Connection(to: admin).request("GET", "/metrics")
        var values: [String: Double] = [:]
        for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { throw Failure(text: "no sample: \(line)") }
            values[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return values
    }
}
