import Foundation
import Offers

/// The obstacles to a ledger in a database, as far as the database itself shows them: nothing is made or
/// changed.
package struct PostgreSQLInspection: Sendable {
    /// The faults to set right before anything is signed, in a sentence each.
    package private(set) var faults: [String] = []
    package private(set) var warnings: [String] = []

    init(_ connection: PostgreSQLConnection) throws {
        let place = try connection.run(SQLCall(Self.place))
        let user = try place.text(0, 0)
        let schema = try place.optionalText(0, 1)
        let home = try place.optionalText(0, 2)
        if let elsewhere = try Self.elsewhere(connection) { warnings.append(elsewhere) }
        guard try place.text(0, 4) == "off" else {
            faults.append(
                "the server only reads: it is a standby, or default_transaction_read_only is on for the server, the database "
                    + "or the role; leave target_session_attrs out, and name the primary, or switch it off (ALTER ROLE \(user) RESET "
                    + "default_transaction_read_only)"
            )
            return
        }
        guard let home else {
            guard let schema, !["pg_catalog", "information_schema"].contains(schema) else {
                let what =
                    schema == nil
                    ? "names no schema that is there: create one, or set another"
                    : "begins with a "
                        + "schema of the server's own: set another (ALTER ROLE \(user) SET search_path = public)"
                faults.append("search_path (\(try place.text(0, 3))) \(what)")
                return
            }
            guard try !connection.run(SQLCall(Self.mayMake, .text(schema))).boolean(0, 0) else { return }
            faults.append(
                "the user \(user) may not make tables in schema \(schema): have their owner run `offer-signer ledger "
                    + "migrate`, or GRANT CREATE ON SCHEMA \(schema) TO \(user)"
            )
            return
        }
        try connection.stay()
        let session = PostgreSQLSession(connection, at: connection.place)
        let isUpToDate = try Migration.due(after: Migration.made(session), at: connection.place).isEmpty
        if isUpToDate {
            let differences = try session.schemaDifferences()
            if !differences.isEmpty { faults.append(SchemaFact.fault(differences).detail) }
        }
        let tables = try PostgreSQLSchema.tables()
        let powers = try connection.run(SQLCall(Self.powers, .text(home), tables)).text(0, 0)
        if !isUpToDate, !powers.contains("owns") {
            faults.append(
                "the tables are not those of this version, and the user \(user) may not change them: \(Self.fix)"
            )
        }
        if !powers.isEmpty {
            warnings.append(
                "the user \(user) \(powers): whoever has its password can put code into the database, and the ledger shows "
                    + "that only when it is there; let another role own the tables, and make them with "
                    + "`offer-signer ledger migrate` (deploy/postgresql.md, two roles)"
            )
        }
        let missing = try connection.run(SQLCall(Self.missingRights, .text(home), tables))
        for row in missing.rows {
            let (table, rights) = (try missing.text(row, 0), try missing.text(row, 1))
            faults.append(
                "the user \(user) has no \(rights) on \(table): GRANT \(rights) ON \(home).\(table) TO \(user)"
            )
        }
        if let warning = try ReplicationState(connection).warning { warnings.append(warning) }
    }

    mutating func warn(_ warning: String) { warnings.append(warning) }

    /// A sentence where search_path leads to no ledger, or to one without records, and another schema has one; else `nil`.
    static func elsewhere(_ connection: PostgreSQLConnection) throws -> String? {
        if try connection.run(SQLCall("SELECT to_regclass('ledger_records') IS NOT NULL")).boolean(0, 0) {
            guard try connection.run(SQLCall("SELECT 1 FROM ledger_records LIMIT 1")).count == 0 else { return nil }
        }
        let others = try connection.run(SQLCall(otherSchemas))
        guard others.count > 0 else { return nil }
        let names = try others.rows.map { try others.text($0, 0) }.joined(separator: ", ")
        return
            "there is a ledger in schema \(names) of this database, and search_path leads to another place: one that is "
            + "begun there counts nothing that was signed before; if it is the same ledger, set search_path for the user"
    }

    private static let place = """
        SELECT current_user::text, current_schema()::text,
            (SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE pg_class.oid = to_regclass('schema_migrations')),
            current_setting('search_path'), current_setting('transaction_read_only')
        """

    private static let mayMake = "SELECT has_schema_privilege($1, 'CREATE')"

    /// How tables are made where the role of the service may not.
    static let fix = "have their owner run `offer-signer ledger migrate`"

    /// The rights by which a user could put a trigger on a table, or another table in its place.
    private static let powers = """
        SELECT concat_ws(' and ',
            CASE WHEN (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN 'is a superuser' END,
            CASE WHEN bool_or(pg_has_role(relowner, 'MEMBER')) THEN 'owns the tables' END,
            CASE WHEN has_schema_privilege($1, 'CREATE') THEN 'may make tables in schema ' || $1 END,
            CASE WHEN bool_or(has_table_privilege(pg_class.oid, 'TRIGGER')) THEN 'may put triggers on tables' END)
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = $1 AND relname = ANY ($2::text[])
        """

    private static let missingRights = """
        SELECT relname::text, string_agg(rights.name, ', ' ORDER BY rights.place)
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace,
            unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS rights (name, place)
        WHERE nspname = $1 AND relname = ANY ($2::text[]) AND NOT has_table_privilege(pg_class.oid, rights.name)
            AND relname <> 'schema_migrations'
        GROUP BY relname ORDER BY relname
        """

    private static let otherSchemas = """
        SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relname = 'ledger_chains' AND relkind IN ('r', 'p')
            AND pg_class.oid IS DISTINCT FROM to_regclass('ledger_chains')
        ORDER BY nspname
        """
}
