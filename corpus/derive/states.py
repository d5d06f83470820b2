"""What states and symmetries can save on the models: their state graphs, without any partial order reduction.

A state is what the threads are about to do, where they stand and what they remember (the frames of their generators), what
they share, who has which lock and who waits. "Workers alike" means that threads are compared as a collection. Printed are
the executions that make each further choice in each state once, and the number of paths through the graph; with workers
alike, of two choices that lead to the same state one is taken.

Run `python3 corpus/derive/states.py NAME...` with names of corpus/derive/programs.py.
"""

import sys

from oracle import Run
from programs import MODELS, SLOW, scanner

MORE = {
    "scanner 3, 1, arguments": scanner(3, 1, arguments=True), "scanner 4, 0, arguments": scanner(4, 0, arguments=True),
    "scanner 4, 1, arguments": scanner(4, 1, arguments=True),
}
SHARED = ("s", "mine", "ids", "state")


def freeze(value):
    if isinstance(value, dict):
        return tuple(sorted((str(k), freeze(v)) for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(freeze(v) for v in value)
    if isinstance(value, set):
        return tuple(sorted(map(str, value)))
    return value if isinstance(value, (int, str, type(None))) else type(value).__name__


def frames(generator):
    out = []
    while getattr(generator, "gi_frame", None):
        frame = generator.gi_frame
        own = {k: v for k, v in frame.f_locals.items() if k not in SHARED}
        out.append((frame.f_code.co_name, frame.f_lasti, freeze(own)))
        generator = generator.gi_yieldfrom
    return tuple(out)


def state(run, alike):
    main = run.threads[0].gen.gi_frame
    shared = freeze(main.f_locals.get("mine")) if main else None
    threads = []
    for i, t in enumerate(run.threads):
        owned = sorted(str(m) for m, owner in run.owner.items() if owner == i)
        waits = sorted(str(c) for c, waiters in run.waiters.items() if i in waiters)
        threads.append(repr((t.state, freeze(t.op), frames(t.gen), owned, waits)))
    if alike:
        threads[1:] = sorted(threads[1:])
    return hash((freeze(run.memory), shared, tuple(threads)))


def run_to(main, path):
    """The state after these choices; creating, ending and joining is done as soon as possible."""
    run = Run(main)
    for choice in [None, *path]:
        if choice:
            run.step(*choice)
        while local := [t for t in range(len(run.threads))
                        if run.enabled(t) and run.threads[t].op[0] in ("create", "exit", "join")]:
            run.step(local[0], None)
    return run


def graph(main, alike):
    """Executions for each further choice once, and paths."""
    paths, further = {}, 0

    def visit(path):
        nonlocal further
        run = run_to(main, path)
        choices = [(t, c) for t in range(len(run.threads)) if run.enabled(t) for c in run.choices(t)]
        further += max(0, len(choices) - 1)
        total, met = 0, set()
        for choice in choices:
            following = state(run_to(main, [*path, choice]), alike)
            if alike and following in met:
                continue
            met.add(following)
            if following not in paths:
                paths[following] = visit([*path, choice])
            total += paths[following]
        return total or 1
    total = visit([])
    return further + 1, total


if __name__ == "__main__":
    for name, model in (MODELS | SLOW | MORE).items():
        if name in sys.argv[1:]:
            apart, alike = graph(model, False), graph(model, True)
            print(f"{name:40} executions {apart[0]}, paths {apart[1]}; workers alike: {alike[0]}, {alike[1]}, "
                  f"{apart[1] / alike[1]:.1f} times fewer paths", flush=True)
