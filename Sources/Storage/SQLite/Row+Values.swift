import GRDB

/// How columns are read: what another wrote into the file may be of any type.
///
/// Never by GRDB's own subscripts, which end the process where a value is not of the type that is asked for.
extension Row {
    /// A column's value.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: ``StorageFailure`` when it is of another type, or NULL; it names the column.
    func value<Value: DatabaseValueConvertible>(_ column: String, _ type: Value.Type = Value.self) throws -> Value {
        let found: DatabaseValue? = self[column]
        guard let found, let value = Value.fromDatabaseValue(found) else {
            throw StorageFailure.malformed(column)
        }
        return value
    }

    /// A column's value; `nil` for NULL.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: ``StorageFailure`` when it is of another type; it names the column.
    func optional<Value: DatabaseValueConvertible>(
        _ column: String,
        _ type: Value.Type = Value.self
    ) throws -> Value? {
        let found: DatabaseValue? = self[column]
        guard let found, !found.isNull else { return nil }
        return try value(column)
    }
}
