package org.polygraph.jobs.cli;

import java.lang.reflect.InvocationTargetException;
import org.polygraph.jobs.pipeline.Checker;

/**
 * The engines on the class path, found by name so that asking for one never loads a class of the other: the Spark jars
 * are not even on the class path of an embedded run.
 */
final class InstalledEngines implements Engines {
    private static final String EMBEDDED = "org.polygraph.jobs.pipeline.EmbeddedChecker";
    private static final String SPARK = "org.polygraph.jobs.job.SparkChecker";

    @Override
    public Checker embedded() throws EngineMissingException {
        return create(EMBEDDED, new Class<?>[0], "the embedded engine is not part of this build");
    }

    @Override
    public Checker spark(String master) throws EngineMissingException {
        return create(
                SPARK,
                new Class<?>[] {String.class},
                "the Spark engine is not part of this build; use --engine embedded",
                master);
    }

    private static Checker create(String type, Class<?>[] parameters, String missing, Object... arguments)
            throws EngineMissingException {
        try {
            return (Checker) Class.forName(type).getConstructor(parameters).newInstance(arguments);
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw new EngineMissingException(missing);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException wrong && wrong.getMessage() != null) {
                throw new EngineMissingException(wrong.getMessage());
            }
            throw new IllegalStateException(type + " could not be made", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " has no public constructor as expected", e);
        }
    }
}
