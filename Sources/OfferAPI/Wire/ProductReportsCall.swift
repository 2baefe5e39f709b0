import Offers
import StrictJSON

/// The body of `POST /v1/product-reports`: one report or an array of them, each well-formed or at fault on its own.
struct ProductReportsCall {
    /// The readable reports, each with its place in the array.
    private(set) var reports: [(index: Int, report: ProductReport)] = []
    private(set) var rejected: [RejectedReport] = []
    private static let maximumReports = 1000

    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        if try reader.nextType() == .array {
            try reader.readArray { (index, reader) throws(JSONFault) in
                guard index < Self.maximumReports else {
                    throw JSONFault(.invalidValue, "A call may have \(Self.maximumReports) reports.")
                }
                try read(reader.readText(), index: index)
            }
        } else {
            guard try reader.nextType() == .object else {
                throw JSONFault(.wrongType, "A product report is expected, or an array of them.")
            }
            try read(reader.readText(), index: 0)
        }
        try reader.readEnd()
    }

    private mutating func read(_ json: [UInt8], index: Int) throws(JSONFault) {
        do throws(JSONFault) {
            var reader = JSONReader(json)
            reports.append((index, try ProductReport(reading: &reader)))
        } catch {
            let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
            rejected.append(RejectedReport(index: index, code: error.code.rawValue, detail: place + error.detail))
        }
    }
}

struct RejectedReport {
    /// Its place in the array, from 0.
    let index: Int
    let code: String
    /// The fault in a sentence, after a JSON Pointer into the report where one member is at fault.
    let detail: String
}
