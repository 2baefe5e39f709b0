import Foundation
import GRDB

extension SQLiteDatabase {
    /// Keeps the marks of the keys that the ledger is written with, where none are kept yet, and refuses others.
    ///
    /// - Parameter keys: The keys' marks.
    /// - Throws: ``StorageFailure``, with the code `otherKeys` where the ledger was written with others.
    func claim(with keys: LedgerKeyMarks) throws(StorageFailure) {
        // Of processes that start together, each sees the marks of whoever was first.
        try write { database in
            for mark in keys.marks {
                try database.execute(sql: LedgerKeyMarks.insert, arguments: [mark.name, Data(mark.bytes)])
            }
        }
        try checkKeys(keys)
    }

    /// Refuses other keys than those that the ledger was written with, as far as their marks are kept.
    ///
    /// - Parameter keys: The keys' marks.
    /// - Throws: ``StorageFailure``, with the code `otherKeys` where the ledger was written with others.
    func checkKeys(_ keys: LedgerKeyMarks) throws(StorageFailure) {
        try read { database in
            // An earlier version's file may be read as it is.
            guard try database.tableExists("ledger_key_marks") else { return }
            for row in try Row.fetchAll(database, sql: LedgerKeyMarks.kept) {
                guard let name = String.fromDatabaseValue(row[0]), let mark = Data.fromDatabaseValue(row[1]) else {
                    throw StorageFailure.malformed("mark")
                }
                if let fault = keys.fault(name, Array(mark)) { throw StorageFailure(.otherKeys, "\(path): \(fault)") }
            }
        }
    }
}
