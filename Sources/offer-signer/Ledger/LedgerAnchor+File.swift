import Foundation
import Offers
import Storage
import StrictJSON

extension LedgerAnchor {
    init(file: String) throws(ValueFault) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ValueFault("--anchor: \(Echo.path(file)) cannot be read")
        }
        let other = "--anchor: \(Echo.path(file)) is not what `ledger verify --json` prints"
        do throws(JSONFault) {
            try self.init(json: Array(data))
        } catch {
            throw ValueFault("\(other): \(error.detail)")
        }
    }

    private init(json: [UInt8]) throws(JSONFault) {
        self.init()
        var (isInOrder, hasChains, hasNewest, hasOpen) = (false, false, false, false)
        var (chains, newest, open) = (0, "", [String: LedgerChain.Head]())
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "inOrder": isInOrder = try reader.readBool()
            case "chains":
                chains = Int(try reader.readInt64())
                hasChains = true
            case "newestChain":
                newest = try reader.readString()
                hasNewest = true
            case "openChains":
                hasOpen = true
                try reader.readArray { (_, reader) throws(JSONFault) in
                    let (writer, head) = try Self.chain(&reader)
                    open[writer] = head
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        guard hasChains, hasNewest, hasOpen, chains >= 0 else {
            throw JSONFault(.missingMember, "It has chains, newestChain and openChains.")
        }
        guard isInOrder else { throw JSONFault(.invalidValue, "The ledger was not in order then.") }
        (self.chains, self.newest, self.open) = (chains, newest, open)
    }

    private static func chain(_ reader: inout JSONReader) throws(JSONFault) -> (String, LedgerChain.Head) {
        var (writer, number, hash): (String?, Int64?, [UInt8]?)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "writer": writer = try reader.readString()
            case "number": number = try reader.readInt64()
            case "hash": hash = Hexadecimal.bytes(try reader.readString())
            default: try reader.skipValue()
            }
        }
        guard let writer, let number, let hash else {
            throw JSONFault(.missingMember, "An open chain has writer, number and hash.")
        }
        return (writer, LedgerChain.Head(number: number, hash: hash))
    }
}
