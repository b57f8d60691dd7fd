package org.polygraph.solver;

/** Scratch: runs one generated problem; arguments name=value. */
final class Trial {
    public static void main(String[] args) throws Exception {
        HiddenOrder g = new HiddenOrder();
        double seconds = 60;
        SolverOptions o = SolverOptions.defaults();
        for (String a : args) {
            String[] kv = a.split("=");
            if (kv[0].equals("seconds")) {
                seconds = Double.parseDouble(kv[1]);
                continue;
            }
            try {
                var f = HiddenOrder.class.getDeclaredField(kv[0]);
                if (f.getType() == int.class) f.setInt(g, Integer.parseInt(kv[1]));
                else if (f.getType() == long.class) f.setLong(g, Long.parseLong(kv[1]));
                else f.setDouble(g, Double.parseDouble(kv[1]));
            } catch (NoSuchFieldException e) {
                o = o.with(SolverOptions.Option.valueOf(kv[0]), Long.parseLong(kv[1]));
            }
        }
        Polygraph p = g.build();
        Outcome out = new Solver().solve(p, o.withDeadline(System.nanoTime() + (long) (seconds * 1e9)));
        System.out.println(String.join(" ", args) + " -> " + out.getClass().getSimpleName() + " "
                + out.statistics().nanos() / 1000000 + " ms " + out.statistics());
    }
}
