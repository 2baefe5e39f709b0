/// The numbers of PostgreSQL's types (`pg_type.oid`), which never change.
enum TypeIdentifier {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
}
