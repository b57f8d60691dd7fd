package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The class path of checks without Spark is a list of its own, shorter than that of the tests, so a library that is missing there
 * is missed by no other test.
 */
@Tag("process")
class EmbeddedClassPathIT {
    private static final Path TARGET = Command.ROOT.resolve("spark-jobs/target");

    @TempDir
    private Path folder;

    @Test
    void hasEveryClassThatIsNamedOutsideOfTheSparkEngine() throws IOException {
        List<URL> path = new ArrayList<>();
        // The second is taken along for large inputs.
        for (String list : List.of("embedded.libraries", "texts.libraries")) {
            for (String jar : Files.readString(TARGET.resolve("launch").resolve(list))
                    .strip()
                    .split(":")) {
                path.add(Path.of(jar).toUri().toURL());
            }
        }
        path.add(TARGET.resolve("classes").toUri().toURL());
        JavaClasses ours = new ClassFileImporter().importPackages("org.polygraph");
        TreeSet<String> missing = new TreeSet<>();
        int seen = 0;
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (JavaClass type : ours) {
                if (isOfTheSparkEngine(type) || !isThere(loader, type.getName())) {
                    continue; // the latter: a test
                }
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass needed = dependency.getTargetClass().getBaseComponentType();
                    if (needed.isPrimitive() || isOfTheSparkEngine(needed) || isForTheCompiler(needed)) {
                        continue;
                    }
                    seen++;
                    if (!isThere(loader, needed.getName())) {
                        missing.add(type.getName() + " needs " + needed.getName());
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(seen).isGreaterThan(10_000);
    }

    /** Stages are kept from a million operations on, or where that is asked for. */
    @Test
    void keepsStages() throws IOException, InterruptedException {
        Command command = Command.run(
                folder,
                Map.of(),
                List.of(
                        Command.ROOT.resolve("polygraph").toString(),
                        "check",
                        "-l",
                        "si",
                        "--resume",
                        "-o",
                        "out",
                        Command.ROOT
                                .resolve("spark-jobs/examples/write-skew.jsonl")
                                .toString()));
        assertThat(command.err()).isEmpty();
        assertThat(command.out()).startsWith("PASS  si  ");
        assertThat(command.exitCode()).isZero();
    }

    private static boolean isOfTheSparkEngine(JavaClass type) {
        return type.getPackageName().equals("org.polygraph.jobs.spark");
    }

    private static boolean isForTheCompiler(JavaClass type) {
        return type.getPackageName().startsWith("org.jspecify.")
                || type.getPackageName().startsWith("com.google.errorprone.");
    }

    private static boolean isThere(ClassLoader loader, String name) {
        try {
            Class.forName(name, false, loader);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return false;
        }
    }
}
