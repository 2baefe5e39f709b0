public import Crypto
import Offers

/// Walks along every chain of a ledger: recomputes each hash, and holds it against what was signed.
public struct LedgerVerifier<Archive: LedgerArchive> {
    private let archive: Archive
    private let key: P256.Signing.PublicKey
    private let page = 500

    /// Creates the verifier.
    ///
    /// - Parameters:
    ///   - archive: The ledger.
    ///   - key: The public half of the checkpoint key.
    public init(_ archive: Archive, key: P256.Signing.PublicKey) {
        self.archive = archive
        self.key = key
    }

    /// Walks along all chains; of each the first fault is told.
    ///
    /// The service may be writing meanwhile: what comes while a chain is read is read, too.
    ///
    /// - Returns: What was found.
    /// - Throws: ``StorageFailure`` when the ledger cannot be read.
    public func verify() throws(StorageFailure) -> LedgerVerification {
        var found = LedgerVerification()
        let chains = try archive.chains()
        let strays = try archive.strays()
        let writers = Set(chains.map(\.writer)).union(strays.map(\.writer))
        var marks: [String: [LedgerChain.Head]] = [:]
        for chain in chains {
            guard let previous = chain.previousWriter, let head = chain.previousHead else { continue }
            marks[previous, default: []].append(head)
            if !writers.contains(previous) {
                found.faults.append(.init(writer: previous, number: nil, detail: "is missing, with all its records"))
            }
        }
        for stray in strays {
            let detail =
                stray.firstNumber == nil
                ? "is missing, though checkpoints of it are there"
                : "is of a chain that is missing: the chain was deleted, or the record inserted"
            found.faults.append(.init(writer: stray.writer, number: stray.firstNumber, detail: detail))
        }
        for chain in chains {
            found.chains += 1
            var walk = ChainWalk(archive, key, page: page, chain, marks: marks[chain.writer] ?? [])
            do {
                try walk.walk()
            } catch let fault as LedgerVerification.Fault {
                found.faults.append(fault)
            } catch let failure as StorageFailure where failure.code == .malformed {
                found.faults.append(.init(writer: chain.writer, number: nil, detail: failure.detail))
            } catch let failure as StorageFailure {
                throw failure
            } catch {
                throw StorageFailure(.unavailable, "the ledger cannot be read: \(type(of: error))")
            }
            found.records += walk.records
            found.checkpoints += walk.checkpoints
            found.uncovered += Int(max(0, walk.last.number - walk.covered))
        }
        return found
    }
}

extension LedgerVerification.Fault: Error {}
