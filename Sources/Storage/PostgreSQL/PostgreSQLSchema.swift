import Offers

/// The statements that compare our tables in PostgreSQL with what the migrations make.
///
/// Reading all parts takes longer than many a commit. So a connection does that once, and then compares how many rows the
/// catalogs have of our tables and their schema, and a sum over the transactions that wrote these: each change of a
/// table writes such a row anew, or adds or takes one away, by a transaction that had not ended before.
enum PostgreSQLSchema {
    /// The tables that a connection found sound: their numbers, and the rows of the catalogs about them.
    struct Seal: Equatable {
        let tables: String
        /// The sum depends on it: known to others, it would let them choose transactions for a sum.
        let seed: Int64
        let count: Int64
        let sum: String
    }

    static let seal = """
        SELECT ours.tables, rows.count, rows.sum::text
        FROM (SELECT array_agg(oid ORDER BY oid)::text AS tables FROM pg_class
            WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relname = ANY ($1::text[])) AS ours,
            LATERAL (SELECT count(*), \(sum("$2::int8")) AS sum FROM (\(rows("ours.tables"))) AS rows) AS rows
        """

    /// Fails, with everything before it in its transaction, where a seal is broken.
    static func check(_ seal: Seal) -> SQLCall {
        SQLCall(
            "SELECT 1 / (count(*) = $2::int8 AND \(sum("$4::int8")) = $3::text::numeric)::int4 "
                + "FROM (\(rows("$1::text"))) AS rows",
            .text(seal.tables),
            .integer(seal.count),
            .text(seal.sum),
            .integer(seal.seed)
        )
    }

    static let broken = SQLState("22012")

    /// A sum over the numbers of transactions, of hashes: numbers by themselves have the same sum as others.
    ///
    /// They are taken by their ages, which need no text, and are negative where more than half of all numbers are used.
    static func sum(_ seed: String) -> String {
        "coalesce(sum(hashint8extended(age('3'::xid)::int8 - age(rows.xmin), \(seed))), 0)"
    }

    private static func rows(_ tables: String) -> String {
        // Large catalogs are asked table by table, by their indexes; small ones are read once.
        let large = [
            "pg_class WHERE oid = ours.oid", "pg_attribute WHERE attrelid = ours.oid AND attnum > 0",
            "pg_rewrite WHERE ev_class = ours.oid",
        ].map {
            "SELECT found.xmin FROM unnest(\(tables)::oid[]) AS ours (oid), "
                + "LATERAL (SELECT xmin FROM \($0) OFFSET 0) AS found"
        }
        let small = [
            ("pg_index", "indrelid"), ("pg_trigger", "tgrelid"), ("pg_policy", "polrelid"),
            ("pg_inherits", "inhparent"), ("pg_inherits", "inhrelid"),
        ].map { "SELECT xmin FROM \($0.0) WHERE \($0.1) = ANY ((SELECT \(tables)::oid[])::oid[])" }
        // By the name of a schema alone, one might be put in the place of another.
        let schema = "SELECT xmin FROM pg_namespace WHERE nspname = current_schema()"
        return (large + small + [schema]).joined(separator: " UNION ALL ")
    }

    /// The parts of our tables: the table, the kind and name of the part, and its definition.
    static let parts = """
        WITH ours AS (
            SELECT * FROM pg_class
            WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relname = ANY ($1::text[])
        )
        SELECT ours.relname::text, parts.what, coalesce(parts.definition, '') FROM ours, LATERAL (
            SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' ELSE 'relation' END
                || ' ' || relname AS what,
                CASE relpersistence WHEN 'p' THEN '' ELSE 'unlogged' END
                || CASE WHEN relrowsecurity OR relforcerowsecurity THEN 'row security' ELSE '' END AS definition
            UNION ALL SELECT 'column ' || relname || '.' || attname,
                format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END
                || CASE WHEN typnamespace = 'pg_catalog'::regnamespace THEN '' ELSE ' of its own' END
                || CASE WHEN attcollation = typcollation THEN '' ELSE ' collate' END
                || CASE WHEN attgenerated = '' AND attidentity = '' THEN '' ELSE ' generated' END
                || coalesce(' default ' || (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
                    WHERE adrelid = attrelid AND adnum = attnum), '')
            FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
            WHERE attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT CASE WHEN indisprimary THEN 'primary key of ' || ours.relname
                    ELSE 'index ' || made.relname || ' on ' || ours.relname END,
                CASE WHEN indisunique THEN 'unique ' ELSE '' END
                || regexp_replace(substring(pg_get_indexdef(indexrelid) FROM ' USING (.*)'), ' WITH [(].*?[)]', '')
                || CASE WHEN indisvalid AND indisready AND indimmediate AND NOT indisexclusion AND indexprs IS NULL
                    THEN '' ELSE ' in another way' END
            FROM pg_index JOIN pg_class AS made ON made.oid = indexrelid WHERE indrelid = ours.oid
            UNION ALL SELECT 'constraint ' || conname || ' on ' || relname, ''
            FROM pg_constraint WHERE conrelid = ours.oid AND (contype NOT IN ('p', 'u', 'n') OR NOT convalidated)
            UNION ALL SELECT 'trigger ' || tgname || ' on ' || relname, '' FROM pg_trigger WHERE tgrelid = ours.oid
            UNION ALL SELECT 'rule ' || rulename || ' on ' || relname, '' FROM pg_rewrite WHERE ev_class = ours.oid
            UNION ALL SELECT 'policy ' || polname || ' on ' || relname, '' FROM pg_policy WHERE polrelid = ours.oid
            UNION ALL SELECT 'inheritance of ' || relname, ''
            FROM pg_inherits WHERE inhparent = ours.oid OR inhrelid = ours.oid
        ) AS parts
        """

    static func tables() throws(StorageFailure) -> SQLValue {
        .texts(try SchemaFact.tables(of: .postgreSQL).sorted())
    }
}

extension Session {
    func postgreSQLFacts() throws(StorageFailure) -> Set<SchemaFact> {
        let rows = try run(PostgreSQLSchema.parts, try PostgreSQLSchema.tables())
        var facts: Set<SchemaFact> = []
        for row in rows.rows {
            let words = try rows.text(row, 1).split(separator: " ").map { SchemaFact.name(String($0)) }
            let definition = SchemaFact.plain(try rows.text(row, 2))
            facts.insert(SchemaFact(try rows.text(row, 0), words.joined(separator: " "), definition))
        }
        return facts
    }
}
