package org.polygraph.jobs.spark;

import java.io.Serializable;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A row of {@link ScratchFiles}: one transaction that is not dropped, in dense ids. It is a bean, because Spark
 * generates code that fills beans without boxing, and public, because that code is in another package.
 */
public final class ScratchTransaction implements Serializable {
    private static final long serialVersionUID = 1L;

    static final String TRANSACTION = "transaction";
    static final String KEYS = "keys";
    static final String VALUES = "values";

    static final StructType SCHEMA = new StructType()
            .add(TRANSACTION, DataTypes.IntegerType, false)
            .add(KEYS, DataTypes.createArrayType(DataTypes.IntegerType, false), false)
            .add(VALUES, DataTypes.createArrayType(DataTypes.LongType, false), false);

    static final MessageType PARQUET = Types.buildMessage()
            .required(PrimitiveTypeName.INT32)
            .named(TRANSACTION)
            .addField(list(PrimitiveTypeName.INT32, KEYS))
            .addField(list(PrimitiveTypeName.INT64, VALUES))
            .named("transactions");

    private int transaction;
    private int[] keys = new int[0];
    private long[] values = new long[0];

    private static org.apache.parquet.schema.GroupType list(PrimitiveTypeName element, String name) {
        return Types.requiredGroup()
                .as(LogicalTypeAnnotation.listType())
                .repeatedGroup()
                .required(element)
                .named("element")
                .named("list")
                .named(name);
    }

    public int getTransaction() {
        return transaction;
    }

    public void setTransaction(int transaction) {
        this.transaction = transaction;
    }

    /** Key and kind of each operation, as in HistoryTable.operationKeys. */
    public int[] getKeys() {
        return keys;
    }

    public void setKeys(int[] keys) {
        this.keys = keys;
    }

    /** The value code of each operation. */
    public long[] getValues() {
        return values;
    }

    public void setValues(long[] values) {
        this.values = values;
    }
}
