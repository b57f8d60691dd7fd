package org.polygraph.jobs;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The borders between packages of all modules: which package may import which. */
@AnalyzeClasses(
        packages = "org.polygraph",
        importOptions = {ImportOption.DoNotIncludeTests.class, HouseTest.NoTestJars.class})
class HouseTest {
    /** Leaves out the test kit, which is a jar, so that the standard option would take it for production code. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String STORAGE = "org.polygraph.storage.";
    private static final String FORMAT = STORAGE + "format";
    private static final String PARTITIONER = "org.polygraph.partitioner.";
    private static final String SOLVER = "org.polygraph.solver";
    private static final String JOBS = "org.polygraph.jobs.";

    @ArchTest
    static final ArchRule STORAGE_KNOWS_NO_OTHER_MODULE =
            apart(STORAGE + ".", PARTITIONER + ".", SOLVER + "..", JOBS + ".", "org.polygraph.cluster..");

    @ArchTest
    static final ArchRule PARTITIONER_KNOWS_STORAGE_ONLY =
            apart(PARTITIONER + ".", SOLVER + "..", JOBS + ".", "org.polygraph.cluster..", "org.apache..");

    @ArchTest
    static final ArchRule SOLVER_KNOWS_THE_JDK_ONLY = knowsOnly(SOLVER + "..");

    @ArchTest
    static final ArchRule CLUSTER_CONFIG_KNOWS_THE_JDK_ONLY = knowsOnly("org.polygraph.cluster..");

    /**
     * Code that verifies must not share a mistake with code that searches. So of our modules it depends on storage
     * only, directly and indirectly.
     */
    @ArchTest
    static final ArchRule CERTIFICATE_KNOWS_RAW_OPERATIONS_ONLY = knowsOnly(
            JOBS + "certificate..",
            STORAGE + ".",
            "com.fasterxml.jackson.core..",
            "com.google.errorprone.annotations..");

    @ArchTest
    static final ArchRule CERTIFICATE_REACHES_NEITHER_PARTITIONER_NOR_SOLVER = noClasses()
            .that()
            .resideInAPackage(JOBS + "certificate..")
            .should()
            .transitivelyDependOnClassesThat()
            .resideInAnyPackage(PARTITIONER + ".", SOLVER + "..", JOBS + "verdict..");

    /**
     * A replay evaluates predicates itself. The classes that it must not use express predicates as reads, evaluate them
     * for the search, or guess the rows of writes.
     */
    @ArchTest
    static final ArchRule REPLAYS_EVALUATE_PREDICATES_THEMSELVES = noClasses()
            .that()
            .resideInAPackage(JOBS + "certificate.replay")
            .should()
            .dependOnClassesThat()
            .haveNameMatching(STORAGE.replace(".", "\\.")
                    + "table\\.(PredicateReads|PredicateReplay|PredicateResolution|ReadSample|UnknownRows).*");

    /** Verification takes lists as they were recorded. These classes express them as reads and writes for the search. */
    @ArchTest
    static final ArchRule VERIFICATION_ORDERS_LISTS_ITSELF = noClasses()
            .that()
            .resideInAPackage(JOBS + "certificate..")
            .should()
            .dependOnClassesThat()
            .haveNameMatching(STORAGE.replace(".", "\\.") + "table\\.(ListReduction|ListVersions).*");

    /** The same holds for the classes that replay the order of windows or of a certificate by workers, and for workers. */
    @ArchTest
    static final ArchRule WINDOW_REPLAY_REACHES_NEITHER_PARTITIONER_NOR_SOLVER = noClasses()
            .that()
            .haveNameMatching(JOBS.replace(".", "\\.")
                    + "(windows\\.(CertifiedOrder|StoredOrder|LocalWorkers)|spark\\.SparkWorkers)(\\$.*)?")
            .should()
            .transitivelyDependOnClassesThat()
            .resideInAnyPackage(PARTITIONER + ".", SOLVER + "..");

    private static final Pattern BRINGS = Pattern.compile(
            "collect.*|take.*|first|head|tail|toLocalIterator|reduce|fold|aggregate|treeReduce|treeAggregate|broadcast");

    /** A class that is added here gets a line with its bound in "Jobs" of docs/spark.md. */
    @ArchTest
    static final ArchRule ONLY_THESE_COLLECT_OR_BROADCAST = noClasses()
            .that()
            .haveNameNotMatching(JOBS.replace(".", "\\.") + "spark\\.(SparkGenerator|SparkWorkers)(\\$.*)?")
            .should()
            .accessTargetWhere(DescribedPredicate.describe(
                    "brings rows to the driver or arrays to all executors",
                    access -> access.getTargetOwner().getPackageName().startsWith("org.apache.spark")
                            && BRINGS.matcher(access.getTarget().getName()).matches()));

    @ArchTest
    static final ArchRule SPARK_ONLY_IN_JOBS_SPARK = only(JOBS + "spark..", "org.apache.spark..", "scala..");

    /** The application's tests bring the parser: what else of the product they use must not need it. */
    @ArchTest
    static final ArchRule SQL_IS_PARSED_IN_ONE_CLASS = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(JOBS + "jdbc.Sql")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.sf.jsqlparser..");

    @ArchTest
    static final ArchRule TOPICS_ARE_READ_IN_ONE_CLASS = noClasses()
            .that()
            .haveNameNotMatching(JOBS.replace(".", "\\.") + "watch\\.WatchedTopic(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..");

    @ArchTest
    static final ArchRule PICOCLI_ONLY_IN_CLI = only(JOBS + "cli..", "picocli..");

    @ArchTest
    static final ArchRule STORAGE_PACKAGES_LOOK_LEFT =
            leftToRight(STORAGE, "model", "dictionary", "lists", "table", "analysis", "artifact", "format", "generate");

    /** The packages that formats share, then the formats, then the facade. */
    @ArchTest
    static final ArchRule FORMAT_PACKAGES_LOOK_LEFT = Architectures.layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(FORMAT + "..")
            .layer("io")
            .definedBy(FORMAT + ".io")
            .layer("jsonl")
            .definedBy(FORMAT + ".jsonl")
            .layer("parquet")
            .definedBy(FORMAT + ".parquet")
            .layer("arrow")
            .definedBy(FORMAT + ".arrow")
            .layer("others")
            .definedBy(FORMAT + ".edn", FORMAT + ".binary", FORMAT + ".plume")
            .layer("facade")
            .definedBy(FORMAT)
            .layer("pieces")
            .definedBy(FORMAT + ".pieces")
            .whereLayer("jsonl")
            .mayOnlyBeAccessedByLayers("parquet", "arrow", "others", "facade", "pieces")
            .whereLayer("parquet")
            .mayOnlyBeAccessedByLayers("facade", "pieces")
            .whereLayer("others")
            .mayOnlyBeAccessedByLayers("facade")
            .whereLayer("facade")
            .mayOnlyBeAccessedByLayers("pieces")
            .whereLayer("pieces")
            .mayNotBeAccessedByAnyLayer()
            .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage(FORMAT + ".."));

    @ArchTest
    static final ArchRule ONLY_WHAT_DIVIDES_WORK_READS_IN_PIECES = noClasses()
            .that()
            .resideOutsideOfPackages(FORMAT + ".pieces", JOBS + "spark..", JOBS + "windows..")
            .and()
            .doNotHaveFullyQualifiedName(JOBS + "application.WindowedChecker")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(FORMAT + ".pieces");

    @ArchTest
    static final ArchRule PARTITIONER_PACKAGES_LOOK_LEFT = leftToRight(
            PARTITIONER,
            "isolation",
            "index",
            "graph",
            "closure",
            "prune",
            "order",
            "axiom",
            "linear",
            "residual",
            "evidence",
            "subhistory");

    @ArchTest
    static final ArchRule JOBS_PACKAGES_LOOK_LEFT = leftToRight(
            JOBS,
            "certificate",
            "verdict",
            "estimate",
            "decision",
            "weak",
            "evidence",
            "report",
            "generate",
            "record",
            "jdbc",
            "windows",
            "application",
            "watch",
            "junit",
            "spark",
            "cli");

    @ArchTest
    static final ArchRule CERTIFICATE_PACKAGES_LOOK_LEFT =
            leftToRight(JOBS + "certificate.", "format", "replay", "judge");

    /** The order of packages: the wording, the pages, the files of a run. */
    @ArchTest
    static final ArchRule REPORT_PACKAGES_LOOK_LEFT = leftToRight(JOBS + "report.", "wording", "page", ".");

    /** A check without --out must not pay for templates. */
    @ArchTest
    static final ArchRule TEMPLATES_ONLY_IN_REPORT_PAGE = only(JOBS + "report.page", "com.samskivert..");

    @ArchTest
    static final ArchRule SOLVER_PACKAGES_LOOK_LEFT = leftToRight(SOLVER + ".", "sat", "theory", "proof", ".");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("org.polygraph.(*).(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule STDOUT_BELONGS_TO_THE_COMMAND = classes()
            .that()
            .resideOutsideOfPackage(JOBS + "cli..")
            .should(new ArchCondition<>("not touch System.out, System.err or System.exit") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                        if (access.getTargetOwner().isEquivalentTo(System.class)
                                && List.of("out", "err", "exit")
                                        .contains(access.getTarget().getName())) {
                            events.add(SimpleConditionEvent.violated(type, access.getDescription()));
                        }
                    }
                }
            });

    @ArchTest
    static final ArchRule KERNELS_HAVE_NO_STREAMS = noClasses()
            .that()
            .resideInAnyPackage(
                    PARTITIONER + "index..",
                    PARTITIONER + "graph..",
                    PARTITIONER + "closure..",
                    PARTITIONER + "prune..",
                    PARTITIONER + "order..",
                    SOLVER + ".sat..",
                    SOLVER + ".theory..",
                    STORAGE + "dictionary..",
                    STORAGE + "lists..",
                    STORAGE + "table..",
                    STORAGE + "analysis..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.util.stream..")
            .allowEmptyShould(true);

    /**
     * Exceptions: collections that are always small (the few transactions of a violation, a table by an enum).
     */
    private static final Set<String> MAY_BOX =
            Set.of(PARTITIONER + "isolation.Violation", SOLVER + ".SolverOptions", STORAGE + "analysis.HistoryLint");

    @ArchTest
    static final ArchRule KERNELS_KEEP_NO_BOXED_NUMBERS = fields().that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(
                    PARTITIONER + ".",
                    SOLVER + "..",
                    STORAGE + "dictionary..",
                    STORAGE + "lists..",
                    STORAGE + "table..",
                    STORAGE + "analysis..")
            .should(new ArchCondition<>("not be a collection of boxed numbers") {
                @Override
                public void check(JavaField field, ConditionEvents events) {
                    if (boxes(field) && !MAY_BOX.contains(field.getOwner().getName())) {
                        events.add(SimpleConditionEvent.violated(field, field.getDescription()));
                    }
                }
            });

    /** Shows in addition that the rule recognizes what it forbids. */
    @ArchTest
    static void exceptionsAreNeeded(JavaClasses house) {
        for (String name : MAY_BOX) {
            assertThat(house.get(name).getFields()).as(name).anyMatch(HouseTest::boxes);
        }
    }

    private static boolean boxes(JavaField field) {
        JavaClass type = field.getRawType();
        return (type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class))
                && field.getType().getAllInvolvedRawTypes().stream()
                        .anyMatch(each -> each.isAssignableTo(Number.class)
                                || each.isEquivalentTo(Character.class)
                                || each.isEquivalentTo(Boolean.class));
    }

    @ArchTest
    static final ArchRule EVERY_PACKAGE_STATES_ITS_GUARANTEE = classes()
            .that()
            .resideInAPackage("org.polygraph..")
            .should(new ArchCondition<>("reside in a package with a package-info") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    if (type.getPackage().tryGetPackageInfo().isEmpty()) {
                        events.add(SimpleConditionEvent.violated(type, type.getName() + " has no package-info"));
                    }
                }
            });

    private static ArchRule apart(String packages, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .allowEmptyShould(true);
    }

    /** Other packages are used in these only. */
    private static ArchRule only(String packages, String... others) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }

    /** Packages that use themselves, the JDK, annotations for null and some others. */
    private static ArchRule knowsOnly(String packages, String... others) {
        List<String> known = new ArrayList<>(List.of(packages, "java..", "org.jspecify.annotations.."));
        known.addAll(List.of(others));
        return classes()
                .that()
                .resideInAPackage(packages)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(known.toArray(new String[0]))
                .allowEmptyShould(true);
    }

    /**
     * Packages of one module, each of which may use those before it; every class of the module is in one of them. A
     * dot is the package of the module itself.
     */
    private static ArchRule leftToRight(String module, String... packages) {
        LayeredArchitecture layers =
                Architectures.layeredArchitecture().consideringOnlyDependenciesInAnyPackage(module + ".");
        for (String name : packages) {
            String own = module.substring(0, module.length() - 1);
            layers = layers.optionalLayer(name).definedBy(name.equals(".") ? own : module + name + "..");
        }
        for (int i = 0; i < packages.length; i++) {
            String[] right = Arrays.copyOfRange(packages, i + 1, packages.length);
            layers = right.length == 0
                    ? layers.whereLayer(packages[i]).mayNotBeAccessedByAnyLayer()
                    : layers.whereLayer(packages[i]).mayOnlyBeAccessedByLayers(right);
        }
        return layers.ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage(module + "."));
    }
}
