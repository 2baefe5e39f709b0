import GRDB

/// What may be left of a database in whose place none was made yet.
extension SQLiteDatabase {
    /// A sentence where a log lies beside a file that is not there, or is empty; `nil` where none does.
    ///
    /// Nothing is opened there: SQLite would delete the log.
    ///
    /// - Parameter path: The file.
    /// - Returns: The sentence, with the mend.
    public static func strayLog(of path: String) -> String? { SQLiteFiles.strayLog(of: path) }

    /// Deletes what the first start leaves where it could not make the tables, as on a full disk: the next one would take it
    /// for a file that has lost its log.
    ///
    /// Only who began the file may do so. What another process has put into it stays; one that begins in the same moment
    /// signs nothing, as its file is gone.
    ///
    /// - Parameter path: The file.
    public static func deleteIfNothingIsIn(_ path: String) { SQLiteFiles.deleteIfNothingIsIn(path) }

    /// Whether a file has any table in it.
    ///
    /// - Parameter path: The file.
    /// - Returns: Whether it has; `nil` where it cannot be told: there is none, or it cannot be read.
    public static func hasTables(at path: String) -> Bool? {
        _ = isSetUp
        guard SQLiteFiles.strayLog(of: path) == nil else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(busyTimeoutSeconds))
        return try? DatabaseQueue(path: path, configuration: configuration).read { database in
            try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)")
        }
    }
}
