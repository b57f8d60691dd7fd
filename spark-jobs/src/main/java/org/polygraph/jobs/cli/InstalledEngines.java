package org.polygraph.jobs.cli;

import java.lang.reflect.InvocationTargetException;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.EmbeddedChecker;

/**
 * The engines there are. Spark's is found by name: its jars are not on the class path of an embedded run, and no class of
 * it may be loaded there.
 */
final class InstalledEngines implements Engines {
    private static final String SPARK = "org.polygraph.jobs.job.SparkChecker";

    @Override
    public Checker embedded() {
        return new EmbeddedChecker();
    }

    @Override
    public Checker spark(String master) throws EngineMissingException {
        String missing = "the Spark engine is not part of this build; use --engine embedded";
        try {
            return Class.forName(SPARK)
                    .asSubclass(Checker.class)
                    .getConstructor(String.class)
                    .newInstance(master);
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw new EngineMissingException(missing);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException wrong && wrong.getMessage() != null) {
                throw new EngineMissingException(wrong.getMessage());
            }
            throw new IllegalStateException(SPARK + " could not be made", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(SPARK + " has no public constructor (String master)", e);
        }
    }
}
