package org.polygraph.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * The laws notice mistakes. {@code mutants.txt} lists deliberate mistakes, each a line of main code and what replaces
 * it, with the law that has to fail: by an assertion, or because the code's own check of a result throws an
 * IllegalStateException, as the replay does for an order that explains nothing. A mutant is compiled from the source of its
 * class, and the law runs in a class loader of its own that has the changed class and all other classes as they are. A
 * change of the mutated line therefore fails this test, and the mutant has to follow it. {@code -Dmutant=TEXT} runs
 * those whose names contain the text.
 */
class MutantsTest {
    private static final Path ROOT =
            Path.of(System.getProperty("polygraph.root", "..")).toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("storage", "partitioner", "local-solver", "spark-jobs");
    /** See {@link SuiteScale}, which each class loader of a mutant has anew. */
    private static final String SCALE = "polygraph.test.scale";

    /** Laws that take seconds for a mutant, which only CI tries. */
    private static final String SLOW = "case .*|.*GeneratedRowsTest";

    /** A law that a mutant fails is not made smaller, and has as many rounds as it takes. */
    private static final String TRIALS = "law.trials";

    private static final String ROUNDS = "law.least";

    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private static final JavaFileManager FILES = JAVAC.getStandardFileManager(null, null, null);

    /**
     * A mistake.
     *
     * @param type the class that is changed
     * @param method the method of it in which {@code line} is
     * @param law a test class, a method of it as {@code class#method}, the name of a law of {@code LawsTest}, or {@code
     *     case TEXT} for the files of {@code CasesTest} whose names contain the text
     */
    private record Mutant(String type, String method, String line, String replacement, String law) {
        String name() {
            return type.substring(type.lastIndexOf('.') + 1) + "." + method + ": " + line + "  =>  " + replacement;
        }
    }

    @TestFactory
    Stream<DynamicTest> areKilled() throws IOException {
        String wanted = System.getProperty("mutant", "");
        return mutants().stream()
                .filter(mutant -> !wanted.isEmpty() || !SuiteScale.isReduced() || !mutant.law.matches(SLOW))
                .filter(mutant -> mutant.name().contains(wanted))
                .map(mutant -> DynamicTest.dynamicTest(mutant.name(), () -> isKilled(mutant)));
    }

    private static void isKilled(Mutant mutant) throws Exception {
        List<Throwable> failures = failures(mutant.law, compiled(mutant));
        assertThat(failures).as("%s survives %s", mutant.name(), mutant.law).isNotEmpty();
        assertThat(failures)
                .as("%s ends %s by an error", mutant.name(), mutant.law)
                .anyMatch(each -> each instanceof AssertionError || each instanceof IllegalStateException);
    }

    /** The line is in the method, once, whether or not this run tries the mutant. */
    @Test
    void areUpToDate() throws IOException {
        List<Mutant> mutants = mutants();
        assertThat(mutants).hasSizeGreaterThanOrEqualTo(40);
        for (Mutant mutant : mutants) {
            changed(mutant);
        }
    }

    /** In the class loader of the mutants, a law of each class holds for unchanged classes. */
    @TestFactory
    Stream<DynamicTest> lawsHold() throws IOException {
        return mutants().stream()
                .filter(mutant -> !SuiteScale.isReduced())
                .filter(mutant -> !mutant.law.startsWith("case "))
                .map(mutant -> mutant.law.contains(".") ? mutant.law : "rows")
                .distinct()
                .map(law -> DynamicTest.dynamicTest(
                        law, () -> assertThat(failures(law, Map.of())).isEmpty()));
    }

    private static List<Mutant> mutants() throws IOException {
        List<Mutant> mutants = new ArrayList<>();
        String law = "";
        String[] place = {};
        String line = "";
        for (String text : Files.readAllLines(ROOT.resolve("spark-jobs/src/test/resources/mutants.txt"))) {
            if (text.startsWith("law ")) {
                law = text.substring(4);
            } else if (text.startsWith("in ")) {
                place = text.substring(3).split("#");
            } else if (text.startsWith("- ")) {
                line = text.substring(2);
            } else if (text.startsWith("+ ")) {
                mutants.add(new Mutant(place[0], place[1], line, text.substring(2), law));
            }
        }
        return mutants;
    }

    /** The changed source of a mutant's class. */
    private static JavaFileObject changed(Mutant mutant) throws IOException {
        String file = mutant.type.replace('.', '/') + ".java";
        Path path = MODULES.stream()
                .map(module -> ROOT.resolve(module).resolve("src/main/java").resolve(file))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new AssertionError("mutants.txt names " + mutant.type + ", which has no source"));
        String source = Files.readString(path);
        Set<Integer> places = new HashSet<>();
        JavacTask task = (JavacTask)
                JAVAC.getTask(null, FILES, null, List.of("-proc:none"), null, List.of(source(path, source)));
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        task.parse()
                .forEach(unit -> new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitMethod(MethodTree method, Void nothing) {
                        int end = (int) positions.getEndPosition(unit, method);
                        int at = source.indexOf(mutant.line, (int) positions.getStartPosition(unit, method));
                        if (method.getName().contentEquals(mutant.method)) {
                            for (; at >= 0 && at < end; at = source.indexOf(mutant.line, at + 1)) {
                                places.add(at);
                            }
                        }
                        return super.visitMethod(method, nothing);
                    }
                }.scan(unit, null));
        assertThat(places)
                .as("mutants.txt: places of <%s> in %s.%s", mutant.line, mutant.type, mutant.method)
                .hasSize(1);
        int at = places.iterator().next();
        return source(path, source.substring(0, at) + mutant.replacement + source.substring(at + mutant.line.length()));
    }

    private static JavaFileObject source(Path path, String text) {
        return new SimpleJavaFileObject(path.toUri(), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    /** By name: the classes of a mutant's file. */
    private static Map<String, byte[]> compiled(Mutant mutant) throws IOException {
        Map<String, ByteArrayOutputStream> outputs = new HashMap<>();
        JavaFileManager files = new ForwardingJavaFileManager<>(FILES) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                return new SimpleJavaFileObject(
                        URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        return outputs.computeIfAbsent(name, key -> new ByteArrayOutputStream());
                    }
                };
            }
        };
        List<String> options = List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"));
        assertThat(JAVAC.getTask(null, files, null, options, null, List.of(changed(mutant)))
                        .call())
                .as("%s compiles", mutant.name())
                .isTrue();
        Map<String, byte[]> classes = new HashMap<>();
        outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    /** What a law throws at factor 0.1 where some classes are exchanged. */
    private static List<Throwable> failures(String law, Map<String, byte[]> exchanged) throws ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        Exchanged loader = new Exchanged(before, exchanged);
        thread.setContextClassLoader(loader);
        // Tests that run in this JVM afterwards have their own scale and all laws.
        Properties properties = (Properties) System.getProperties().clone();
        System.setProperty(SCALE, "0.1");
        System.setProperty(TRIALS, "0");
        System.setProperty(ROUNDS, "300");
        try {
            // A law without a class is one of the registry, or a case.
            boolean isCase = law.startsWith("case ");
            boolean isNamed = !law.contains(".");
            System.setProperty(isCase ? "cases" : "law", isNamed ? law.replaceFirst("case ", "") : "");
            String named = "org.polygraph.jobs." + (isCase ? "cli.CasesTest" : "decision.LawsTest");
            String[] place = (isNamed ? named : law).split("#");
            Class<?> type = loader.loadClass(place[0]);
            DiscoverySelector selector = place.length == 1
                    ? DiscoverySelectors.selectClass(type)
                    : DiscoverySelectors.selectMethod(type, place[1]);
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selector)
                                    .filters(EngineFilter.includeEngines("junit-jupiter"))
                                    .configurationParameter(
                                            "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                                    .configurationParameter(
                                            "junit.jupiter.execution.timeout.testable.method.default", "120 s")
                                    .build(),
                            listener);
            assertThat(listener.getSummary().getTestsStartedCount()).as(law).isPositive();
            return listener.getSummary().getFailures().stream()
                    .map(TestExecutionSummary.Failure::getException)
                    .toList();
        } finally {
            thread.setContextClassLoader(before);
            System.setProperties(properties);
        }
    }

    /** The classes of this project, tests of all modules too, with some exchanged. */
    private static final class Exchanged extends ClassLoader {
        private final Map<String, byte[]> exchanged;

        Exchanged(ClassLoader parent, Map<String, byte[]> exchanged) {
            super(parent);
            this.exchanged = exchanged;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith("org.polygraph.") || findLoadedClass(name) != null) {
                    return super.loadClass(name, resolve);
                }
                try {
                    byte[] bytes = exchanged.containsKey(name) ? exchanged.get(name) : bytes(name);
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }

        private byte[] bytes(String name) throws IOException, ClassNotFoundException {
            String file = name.replace('.', File.separatorChar) + ".class";
            try (InputStream in = getParent().getResourceAsStream(file)) {
                if (in != null) {
                    return in.readAllBytes();
                }
            }
            for (String module : MODULES) {
                Path path = ROOT.resolve(module).resolve("target/test-classes").resolve(file);
                if (Files.exists(path)) {
                    return Files.readAllBytes(path);
                }
            }
            throw new ClassNotFoundException(name);
        }
    }
}
