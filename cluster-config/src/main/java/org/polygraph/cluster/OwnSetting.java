package org.polygraph.cluster;

/** A setting of ours among Spark's: given to spark-submit with --conf, or as a system property. */
public enum OwnSetting {
    /** A profile by name, instead of the master's. */
    PROFILE("profile", ""),
    /** Where scratch files go, a path that driver and executors see. */
    STAGE_DIR("stage.dir", ""),
    /** Operations in a slice of keys, about. */
    SLICE_OPERATIONS("slice.operations", "100000"),
    /** Bytes of text in a piece of the input, about. */
    PIECE_BYTES("piece.bytes", "16m"),
    /** Bytes of clocks up to which closure and rules stay on the driver's heap. */
    CLOCKS_HEAP("clocks.heap", "256m"),
    /** Bytes of rows of the clocks above which the rules of one key are cut. */
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

    /** The value where none is given; empty where that depends on the cluster. */
    public String defaultValue() {
        return defaultValue;
    }
}
