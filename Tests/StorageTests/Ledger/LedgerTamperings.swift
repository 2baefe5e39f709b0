@testable import Storage

/// What somebody with the database, but without the checkpoint key, might do to a ledger, and what `verify` says of it.
///
/// The ledger has two chains: A of twenty records with a checkpoint after every ten, and B of one.
enum LedgerTamperings {
    /// Puts a copy of a record somewhere, of the second one by default.
    static func inserting(_ writer: String, _ number: String, from source: Int = 2) -> String {
        let columns = LedgerSQL.recordColumns.replacing("writer, number", with: "\(writer), \(number)")
        return "INSERT INTO ledger_records (\(LedgerSQL.recordColumns)) "
            + "SELECT \(columns) FROM ledger_records WHERE number = \(source)"
    }

    static let anywhere = TableRow.rows(
        """
        a record of a writer without a chain
            \(inserting("'zz'", "7"))
          → record 7 of chain zz: is of a chain that is missing: the chain was deleted, or the record inserted
        a record of nobody
            \(inserting("''", "1"))
          → record 1 of chain : is of a chain that is missing: the chain was deleted, or the record inserted
        a record before the first
            \(inserting("writer", "0"))
          → record 0 of chain A: was inserted: a chain begins with record 1
        a record with a number below zero
            \(inserting("writer", "-9223372036854775807 - 1"))
          → record -9223372036854775808 of chain A: was inserted: a chain begins with record 1
        a reason changed
            UPDATE ledger_records SET reason = 'active' WHERE number = 7
          → record 7 of chain A: was changed, or does not belong after the one before it
        a record deleted
            DELETE FROM ledger_records WHERE number = 7
          → record 7 of chain A: is missing
        all chains deleted
            DELETE FROM ledger_chains
          → the ledger: there are 0 chains, and the checkpoint says that there were 2
          → record 1 of chain A: is of a chain that is missing: the chain was deleted, or the record inserted
          → record 1 of chain B: is of a chain that is missing: the chain was deleted, or the record inserted
        the first chain deleted, its records left
            DELETE FROM ledger_chains WHERE writer = 'A'
          → the ledger: there are 1 chains, and the checkpoint says that there were 2
          → record 1 of chain A: is of a chain that is missing: the chain was deleted, or the record inserted
        the newest chain deleted, its records left
            DELETE FROM ledger_chains WHERE writer = 'B'
          → the ledger: there are 1 chains, and the checkpoint says that there were 2
          → record 1 of chain B: is of a chain that is missing: the chain was deleted, or the record inserted
        the newest chain deleted with its records, its checkpoint left
            DELETE FROM ledger_records WHERE writer = 'B'
            DELETE FROM ledger_chains WHERE writer = 'B'
          → chain B: is missing, with all its records
          → the ledger: there are 1 chains, and the checkpoint says that there were 2
        the checkpoint's number of chains changed
            UPDATE ledger_checkpoints SET chains = chains + 1
          → the ledger: its checkpoint is not by the checkpoint key
        """
    )

    /// SQLite keeps a value of any type in any column.
    static let inFile = TableRow.rows(
        """
        a value of another type
            UPDATE ledger_records SET time = 'noon' WHERE number = 7
          → record 7 of chain A: is no record: a row's time is not of its type
        a text with U+0000 at its end
            UPDATE ledger_records SET offer_id = offer_id || char(0) WHERE number = 7
          → record 7 of chain A: was changed, or does not belong after the one before it
        a text with more after U+0000
            UPDATE ledger_records SET client = client || char(0) || 'x' WHERE number = 7
          → record 7 of chain A: was changed, or does not belong after the one before it
        a time with a fraction
            UPDATE ledger_records SET time = time + 0.5 WHERE number = 7
          → record 7 of chain A: is no record: a row's time is not of its type
        a number with a fraction
            UPDATE ledger_records SET number = 7.5 WHERE number = 7
          → record 7 of chain A: is no record: a row's number is not of its type
        bytes as a text
            UPDATE ledger_records SET hash = CAST(hash AS TEXT) WHERE number = 7
          → record 7 of chain A: is no record: a row's hash is not of its type
        a record deleted and the gap closed
            DELETE FROM ledger_records WHERE number = 7
            UPDATE ledger_records SET number = number - 1 WHERE number > 7
          → record 7 of chain A: was changed, or does not belong after the one before it
        two records exchanged
            UPDATE ledger_records SET number = -7 WHERE number = 7
            UPDATE ledger_records SET number = 7 WHERE number = 8
            UPDATE ledger_records SET number = 8 WHERE number = -7
          → record 7 of chain A: was changed, or does not belong after the one before it
        a record inserted
            UPDATE ledger_records SET number = -number - 1 WHERE number >= 7
            UPDATE ledger_records SET number = -number WHERE number < 0
            \(inserting("writer", "7", from: 6))
          → record 7 of chain A: was changed, or does not belong after the one before it
        the end cut off
            DELETE FROM ledger_records WHERE number > 15
          → record 16 of chain A: is missing: it is signed that there were 20
        the beginning cut off
            DELETE FROM ledger_records WHERE writer = 'A' AND number < 4
          → record 1 of chain A: is missing
        the beginning said to have been deleted for its age
            INSERT INTO ledger_statements SELECT writer, 'retention', number, hash, time, x'3000' \
        FROM ledger_records WHERE number = 3
            DELETE FROM ledger_records WHERE writer = 'A' AND number < 4
          → record 3 of chain A: is said to have been deleted for its age, but not by the checkpoint key, or how its chain \
        began was changed since
        """
    )
}
