package org.polygraph.cluster;

/** A setting of Polygraph among Spark's: it is given to spark-submit with --conf, or as a system property. */
public enum OwnSetting {
    /** The name of a profile that replaces the one for the master. */
    PROFILE("profile"),
    /** The folder of scratch files, a path that driver and executors see. */
    STAGE_DIR("stage.dir");

    private final String key;

    OwnSetting(String name) {
        this.key = "spark.polygraph." + name;
    }

    public String key() {
        return key;
    }
}
