package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The jobs of one round that repair windows. Windows that share a cell are a run, which one worker decides one after the other; a task takes
 * as many neighbouring runs as it has room for.
 */
final class WindowRepair {
    /** Cells of a run, which one worker holds, unless a window has more. */
    static final int CELLS_OF_RUN = 4;

    private final WindowStore store;
    private final List<WindowStore.Range> windows;
    private final WindowTask.Extent extent;

    /** Neighbouring windows by number, which lie in the cells of a run. */
    private record Run(int firstCell, int cellsEnd, List<Integer> windows) {}

    /** @param windows ascending and disjoint */
    WindowRepair(WindowStore store, List<WindowStore.Range> windows, WindowTask.Extent extent) {
        this.store = store;
        this.windows = windows;
        this.extent = extent;
    }

    /** Repairs the windows, and writes the new order of those that are repaired.
     *
     * @return by window: a constant of {@link WindowTask}
     */
    List<Integer> run() throws IOException {
        if (windows.isEmpty()) {
            return List.of();
        }
        List<Run> runs = runs();
        List<WindowStore.Range> decided = runs.stream()
                .flatMap(run -> run.windows.stream())
                .map(windows::get)
                .toList();
        List<Section> borders = borders(decided);
        Section.Files moved = store.next("cells");
        List<WindowTask> tasks = new ArrayList<>();
        List<List<Run>> runsOfTasks = new ArrayList<>();
        int number = 0;
        for (int r = 0; r < runs.size(); ) {
            int first = r++;
            while (r < runs.size() && store.fitsTask(runs.get(first).firstCell, runs.get(r).cellsEnd)) {
                r++;
            }
            List<Run> some = runs.subList(first, r);
            runsOfTasks.add(some);
            int count = some.stream().mapToInt(run -> run.windows.size()).sum();
            tasks.add(new WindowTask(
                    new ArrayList<>(some.stream()
                            .map(run -> store.cells(run.firstCell, run.cellsEnd))
                            .toList()),
                    number,
                    new ArrayList<>(decided.subList(number, number + count)),
                    new ArrayList<>(WindowStore.having(borders, number, number + count)),
                    store.layout().initialValue(),
                    store.terms(),
                    extent,
                    store.looks(),
                    moved));
            number += count;
        }
        List<WindowTask.Result> results = store.workers().run("repair windows", tasks);
        Integer[] outcomes = new Integer[windows.size()];
        Arrays.fill(outcomes, WindowTask.DEFERRED);
        for (int i = 0; i < results.size(); i++) {
            take(results.get(i), runsOfTasks.get(i), outcomes);
        }
        Section.delete(borders);
        return List.of(outcomes);
    }

    /** Joins windows that share a cell, unless this makes a run too long: then the later one waits. */
    private List<Run> runs() {
        List<Run> runs = new ArrayList<>();
        for (int w = 0; w < windows.size(); w++) {
            int first = store.cellOf(windows.get(w).from());
            int end = store.cellOf(windows.get(w).to() - 1) + 1;
            Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (last == null || first >= last.cellsEnd) {
                runs.add(new Run(first, end, new ArrayList<>(List.of(w))));
            } else if (end <= last.cellsEnd || end - last.firstCell <= CELLS_OF_RUN) {
                last.windows.add(w);
                runs.set(runs.size() - 1, new Run(last.firstCell, Math.max(end, last.cellsEnd), last.windows));
            }
        }
        return runs;
    }

    private List<Section> borders(List<WindowStore.Range> decided) throws IOException {
        long[] from = decided.stream().mapToLong(WindowStore.Range::from).toArray();
        long[] to = decided.stream().mapToLong(WindowStore.Range::to).toArray();
        Section.Files files = store.next("borders");
        return store.perSlice("find values at borders", slice -> new BorderTask(slice, from, to, files));
    }

    /** Takes the result of a task. */
    private void take(WindowTask.Result result, List<Run> runs, Integer[] outcomes) {
        List<Run> moving = new ArrayList<>();
        int next = 0;
        for (Run run : runs) {
            for (int w : run.windows) {
                outcomes[w] = result.outcomes()[next++];
            }
            if (run.windows.stream().anyMatch(w -> outcomes[w] == WindowTask.REPAIRED)) {
                moving.add(run);
            }
        }
        for (Run run : moving) {
            for (int c = run.firstCell; c < run.cellsEnd; c++) {
                store.replace(c, result.section());
            }
        }
    }
}
