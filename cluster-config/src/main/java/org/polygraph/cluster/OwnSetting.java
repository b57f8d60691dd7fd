package org.polygraph.cluster;

/** A setting of Polygraph among Spark's: it is given to spark-submit with --conf, or as a system property. */
public enum OwnSetting {
    /** The name of a profile that replaces the one for the master. */
    PROFILE("profile", ""),
    /** The folder of scratch files, a path that driver and executors see. */
    STAGE_DIR("stage.dir", ""),
    /** The approximate number of operations in a slice of keys. */
    SLICE_OPERATIONS("slice.operations", "100000"),
    /** The approximate bytes of text in a piece of the input. */
    PIECE_BYTES("piece.bytes", "16m"),
    /** Bytes of clocks up to which closure and rules stay on the driver's heap. */
    CLOCKS_HEAP("clocks.heap", "256m"),
    /** Bytes of rows of the clocks above which the rules of one key run in several tasks. */
    HOT_KEY_BYTES("hot.key.bytes", "128m");

    private final String key;
    private final String defaultValue;

    OwnSetting(String name, String defaultValue) {
        this.key = "spark.polygraph." + name;
        this.defaultValue = defaultValue;
    }

    public String key() {
        return key;
    }

    /** The default; empty if it depends on the cluster. */
    public String defaultValue() {
        return defaultValue;
    }
}
