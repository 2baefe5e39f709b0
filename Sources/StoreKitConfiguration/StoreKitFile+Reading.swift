package import FoundationEssentials

/// The reason why a file is not what Xcode writes.
package struct StoreKitFileFault: Error, Equatable {
    /// A JSON Pointer, such as `/subscriptionGroups/0/subscriptions/1/productID`; empty for the whole file.
    package let place: String
    package let detail: String
}

extension StoreKitFile {
    /// Reads a file; all of it that is used has to be as Xcode writes it.
    package init(json: Data) throws(StoreKitFileFault) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as DecodingError {
            throw StoreKitFileFault(error)
        } catch {
            throw StoreKitFileFault(place: "", detail: "is no JSON")
        }
        try check()
    }

    private func check() throws(StoreKitFileFault) {
        guard version.major > 0 else { throw Self.fault("/version/major", "is no version of Xcode's files") }
        try Self.checkIds(subscriptionGroups.map(\.id), in: "/subscriptionGroups", "id")
        var known: Set<[UInt8]> = []
        for (groupIndex, group) in subscriptionGroups.enumerated() {
            let list = "/subscriptionGroups/\(groupIndex)/subscriptions"
            try Self.checkIds(group.subscriptions.map(\.productID), in: list, "productID", &known)
            for (index, product) in group.subscriptions.enumerated() {
                guard (1...1000).contains(product.groupNumber) else {
                    throw Self.fault("\(list)/\(index)/groupNumber", "is no level from 1 to 1000")
                }
                let place = "\(list)/\(index)"
                try Self.checkIds(product.promotionalOffers.map(\.offerID), in: "\(place)/adHocOffers", "offerID")
                try Self.checkIds(product.winBackOffers.map(\.offerID), in: "\(place)/winbackOffers", "offerID")
            }
        }
    }

    private static func checkIds(_ ids: [String], in list: String, _ member: String) throws(StoreKitFileFault) {
        var known: Set<[UInt8]> = []
        try checkIds(ids, in: list, member, &known)
    }

    /// Each is there once: byte for byte, as the App Store compares.
    private static func checkIds(
        _ ids: [String],
        in list: String,
        _ member: String,
        _ known: inout Set<[UInt8]>
    ) throws(StoreKitFileFault) {
        for (index, id) in ids.enumerated() {
            guard !id.isEmpty else { throw fault("\(list)/\(index)/\(member)", "is empty; write the id in Xcode") }
            guard known.insert(Array(id.utf8)).inserted else {
                throw fault("\(list)/\(index)/\(member)", "is there twice; correct one of the two in Xcode")
            }
        }
    }

    private static func fault(_ place: String, _ detail: String) -> StoreKitFileFault {
        StoreKitFileFault(place: place, detail: detail)
    }
}

extension StoreKitFileFault {
    /// No word of the file is repeated: it may have a key.
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: Self.pointer(context.codingPath + [key]), detail: "is missing, which Xcode's files have")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(place: Self.pointer(context.codingPath), detail: "is of another type than in Xcode's files")
        case .dataCorrupted(let context) where context.codingPath.isEmpty: self.init(place: "", detail: "is no JSON")
        case .dataCorrupted(let context):
            self.init(place: Self.pointer(context.codingPath), detail: "is no value that Xcode writes there")
        @unknown default: self.init(place: "", detail: "cannot be read")
        }
    }

    private static func pointer(_ path: [any CodingKey]) -> String {
        path.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}

extension StoreKitFile {
    /// A duration of one unit (ISO 8601), such as `P1M`.
    package struct Period: Decodable, Equatable, Sendable {
        package let text: String

        package init(from decoder: any Decoder) throws {
            text = try decoder.text { $0.wholeMatch(of: /P[1-9][0-9]{0,2}[DWMY]/) != nil }
        }
    }

    /// A number without a fraction.
    ///
    /// The decoder of JSON names no place where it refuses a number for an `Int`.
    @propertyWrapper
    package struct WholeNumber: Decodable, Equatable, Sendable {
        package let wrappedValue: Int

        package init(from decoder: any Decoder) throws {
            let number = try decoder.singleValueContainer().decode(Double.self)
            guard let value = Int(exactly: number) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: ""))
            }
            wrappedValue = value
        }
    }

    /// A price with a point, such as `4.99`.
    struct Price: Decodable, Equatable, Sendable {
        /// `nil` where nobody has entered one, which is an empty text.
        let entered: String?

        init(from decoder: any Decoder) throws {
            let text = try decoder.text { $0.wholeMatch(of: /([0-9]{1,9}(\.[0-9]{1,9})?)?/) != nil }
            entered = text.isEmpty ? nil : text
        }
    }
}

extension Decoder {
    fileprivate func text(_ isRight: (String) -> Bool) throws -> String {
        let text = try singleValueContainer().decode(String.self)
        guard isRight(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: ""))
        }
        return text
    }
}
