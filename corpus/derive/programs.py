"""Models of the larger programs of corpus/papers, and what the oracle counts for them.

Run `python3 corpus/derive/programs.py [NAME...]`; without names, everything that takes less than about a minute.
What a thread does under a lock happens to a dictionary that belongs to the run, at the operation before it: threads that
hold the same lock cannot see the difference.
"""

import sys
from functools import cache
from math import comb

from models import report
from oracle import Run, program


def shared_program(state, threads, body=None):
    """Main that creates the threads with a fresh state, runs a body of its own, and joins them."""
    def main():
        mine = state()
        ids = []
        for thread in threads:
            ids.append((yield "create", thread(mine)))
        if body:
            yield from body(mine)
        for t in ids:
            yield "join", t
    return main


def example1_traces(n, asserts):
    """Every operation conflicts with every other, so traces are paths; a thread whose assertion fails goes no further."""
    ups, downs = range(0, n, 5), range(0, n, 2)

    def fails(a, b):
        d = sum(ups[:a]) - sum(downs[:b])
        return asserts and d >= 0 and d % 5 == 4

    def after(a, b, a_failed, b_failed):
        if not a_failed and a < len(ups):
            yield a + 1, b, fails(a + 1, b), b_failed
        if not b_failed and b < len(downs):
            yield a, b + 1, a_failed, fails(a, b + 1)

    @cache
    def paths(state):
        return sum(map(paths, after(*state))) or 1

    states, open_states, forks = set(), [(0, 0, False, False)], 0
    while open_states:
        state = open_states.pop()
        if state not in states:
            states.add(state)
            following = list(after(*state))
            forks += len(following) == 2
            open_states += following
    return paths((0, 0, False, False)), forks + 1


def fdrd(pairs, tail, fixed):
    """Accesses to y are visible only where it races."""
    def more():
        for _ in range(tail):
            yield "lock", "f1"
            yield "unlock", "f1"

    def touch_y():
        if not fixed:
            yield "R", "y"
            yield "W", "y", 1

    def t1():
        yield "lock", "f1"
        yield "add", "x", 1
        yield "unlock", "f1"
        yield "lock", "f2"
        yield from touch_y()
        yield "unlock", "f2"
        yield "lock", "f1"
        yield "unlock", "f1"
        yield from more()

    def t2():
        yield "lock", "f1"
        yield "lock", "f2"
        c = yield "R", "x"
        yield "unlock", "f2"
        yield "unlock", "f1"
        yield "lock", "f1"
        if c == 0:
            if fixed:
                yield "lock", "f2"
            yield from touch_y()
            if fixed:
                yield "unlock", "f2"
        yield "unlock", "f1"
        yield from more()
    return program(*[t1, t2] * pairs)


def quicksort(workers, elements, small=8):
    """The stack of ranges; the elements are sorted like in the program, as the ranges depend on them."""
    def fill():
        values = [i - i % 5 // 4 for i in range(elements)]
        state = 2463534242
        for i in range(elements - 1, 0, -1):
            state ^= state << 13 & 0xffffffff
            state ^= state >> 17
            state ^= state << 5 & 0xffffffff
            other = state % (i + 1)
            values[i], values[other] = values[other], values[i]
        return {"values": values, "stack": [(0, elements)], "open": 1}

    def divide(values, first, end):
        middle, last = first + (end - first) // 2, end - 1

        def order(a, b):
            if values[a] < values[b]:
                values[a], values[b] = values[b], values[a]
        order(middle, first)
        order(last, first)
        order(middle, last)
        border = first
        for i in range(first, last):
            if values[i] < values[last]:
                values[i], values[border] = values[border], values[i]
                border += 1
        values[border], values[last] = values[last], values[border]
        return border

    def worker(s):
        while True:
            yield "lock", "m"
            while not s["stack"] and s["open"]:
                yield "wait", "changed", "m"
            work = s["stack"].pop() if s["stack"] else None
            yield "unlock", "m"
            if not work:
                return
            first, end = work
            while end - first > small:
                pivot = divide(s["values"], first, end)
                halves = sorted([(pivot + 1, end), (first, pivot)], key=lambda r: r[1] - r[0])
                (first, end), larger = halves
                yield "lock", "m"
                s["stack"].append(larger)
                s["open"] += 1
                yield "signal", "changed"
                yield "unlock", "m"
            yield "lock", "m"
            s["open"] -= 1
            if s["open"] == 0:
                yield "broadcast", "changed"
            yield "unlock", "m"
    return shared_program(fill, [worker] * workers)


TREES = [
    ("notes",),
    ("readme", "todo"),
    ("readme", ("queue", "tree")),
    ("readme", ("queue",)),
]


def scanner(workers, tree, places=8, bug=0, arguments=False, on_disk=False):
    """A tree is a string, a file, or a tuple, a directory. Opening a file changes the table of descriptors, closing it
    commutes with closing another one."""
    def state():
        return {"queue": [], "unfinished": 0, "closed": False}

    def over(s):
        return s["closed"] and not s["queue"] and not s["unfinished"]

    def wake_if_over(s):
        if over(s):
            yield ("signal" if bug == 2 else "broadcast"), "more"

    def append(s, node):
        s["queue"].append(node)
        yield "signal", "more"

    def main_body(s):
        for node in TREES[tree] if arguments else [TREES[tree]]:
            yield "lock", "m"
            while len(s["queue"]) == places:
                yield "wait", "less", "m"
            yield from append(s, node)
            yield "unlock", "m"
        yield "lock", "m"
        s["closed"] = True
        yield from wake_if_over(s)
        yield "unlock", "m"

    def look_at(s, node):
        for child in node if isinstance(node, tuple) else ():
            yield "lock", "m"
            place = len(s["queue"]) < places
            if place:
                yield from append(s, child)
            yield "unlock", "m"
            if not place:
                yield from look_at(s, child)
        if on_disk and not isinstance(node, tuple):
            yield "W", "descriptors", 0
            yield "R", "descriptors"
        yield "lock", "totals"
        yield "unlock", "totals"

    def worker(s):
        finished = False
        while True:
            yield "lock", "m"
            if finished:
                s["unfinished"] -= 1
                yield from wake_if_over(s)
            while not s["queue"] and not over(s):
                yield "wait", "more", "m"
            full = len(s["queue"]) == places
            node = s["queue"].pop(0) if s["queue"] else None
            if node:
                s["unfinished"] += 1
                if full:
                    yield "signal", "less"
            yield "unlock", "m"
            if not node:
                return
            finished = True
            yield from look_at(s, node)
    return shared_program(state, [worker] * workers, main_body)


def downloader(fetchers, blocks, racy=False):
    """With a server thread. The counter's accesses are visible only where they race. A pipe has 128 places, a response's
    first line takes 7 or 8, a block 32."""
    block, short = 32, 5

    def state():
        return {"backlog": [], "stopped": False, "used": [0] * fetchers}

    def length(i):
        return blocks * block - (short if i == fetchers - 1 else 0)

    def header(i):
        return len(f"206 {length(i)}\n")

    def parts(i):
        left = length(i)
        while left > 0:
            yield min(left, block)
            left -= block

    def server(s):
        while True:
            yield "lock", "backlog"
            while not s["backlog"] and not s["stopped"]:
                yield "wait", "connected", "backlog"
            i = s["backlog"].pop(0) if s["backlog"] else None
            yield "unlock", "backlog"
            if i is None:
                return
            extra = header(i)
            for part in parts(i):
                yield "lock", ("pipe", i)
                while 128 - s["used"][i] < part + extra:
                    yield "wait", ("writable", i), ("pipe", i)
                s["used"][i] += part + extra
                yield "signal", ("readable", i)
                yield "unlock", ("pipe", i)
                extra = 0

    def fetcher(i):
        def thread(s):
            yield "lock", "backlog"
            s["backlog"].append(i)
            yield "signal", "connected"
            yield "unlock", "backlog"
            for number, part in enumerate([header(i), *parts(i)]):
                yield "lock", ("pipe", i)
                while s["used"][i] < part:
                    yield "wait", ("readable", i), ("pipe", i)
                s["used"][i] -= part
                yield "signal", ("writable", i)
                yield "unlock", ("pipe", i)
                if number > 0 and racy:
                    before = yield "R", "written"
                    yield "W", "written", before + part
                elif number > 0:
                    yield "lock", "written"
                    yield "unlock", "written"
        return thread

    def main():
        s = state()
        ids = [(yield "create", server(s))]
        for i in range(fetchers):
            ids.append((yield "create", fetcher(i)(s)))
        for t in ids[1:]:
            yield "join", t
        yield "lock", "backlog"
        s["stopped"] = True
        yield "signal", "connected"
        yield "unlock", "backlog"
        yield "join", ids[0]
    return main


def compressor(workers, blocks, window=2, broadcast=True):
    def state():
        return {"input": 0, "next": 0, "filled": set()}

    def worker(s):
        while True:
            yield "lock", "input"
            number = s["input"]
            s["input"] = min(number + 1, blocks)
            yield "unlock", "input"
            if number == blocks:
                return
            yield "lock", "output"
            while number >= s["next"] + window:
                yield "wait", "moved", "output"
            s["filled"].add(number)
            before = s["next"]
            while s["next"] in s["filled"]:
                s["next"] += 1
            if s["next"] > before:
                yield ("broadcast" if broadcast else "signal"), "moved"
            yield "unlock", "output"
    return shared_program(state, [worker] * workers)


def the_queue(size, steals, thieves=1, main_owns=True):
    """Places are left out: head and tail order all uses of them."""
    def put():
        tail = yield "R", "tail"
        if tail - (yield "R", "head") < size:
            yield "W", "tail", tail + 1

    def take():
        tail = (yield "R", "tail") - 1
        yield "W", "tail", tail
        if (yield "R", "head") <= tail:
            return True
        yield "W", "tail", tail + 1
        yield "lock", "m"
        yield "W", "tail", tail
        found = (yield "R", "head") <= tail
        if not found:
            yield "W", "tail", tail + 1
        yield "unlock", "m"
        return found

    def owner(_):
        for _ in range(size):
            yield from put()
        while (yield from take()):
            pass

    def thief(_):
        for _ in range(steals):
            yield "lock", "m"
            head = yield "R", "head"
            yield "W", "head", head + 1
            if head + 1 > (yield "R", "tail"):
                yield "W", "head", head
            yield "unlock", "m"
    if main_owns:
        return shared_program(dict, [thief] * thieves, owner)
    return shared_program(dict, [thief] * thieves + [owner])


def bounded(main, most):
    """Runs every schedule with at most so many preemptions. Gives, for each number of preemptions up to that, how many
    schedules there are with no more, and how many traces they belong to. Creating, ending and joining take no turn."""
    schedules, least = [0] * (most + 1), {}
    path = []  # of [threads, position]
    while True:
        run, depth, last, used = Run(main), 0, None, 0
        while True:
            enabled = [t for t in range(len(run.threads)) if run.enabled(t)]
            local = [t for t in enabled if run.threads[t].op[0] in ("create", "exit", "join")]
            if local:
                run.step(local[0], None)
                continue
            if not enabled:
                break
            if depth == len(path):
                order = sorted(enabled, key=lambda t: t != last)
                path.append([order[:1] if last in enabled and used == most else order, 0])
            threads, at = path[depth]
            used += last in enabled and threads[at] != last
            last = threads[at]
            run.step(last, None)
            depth += 1
        schedules[used] += 1
        form = hash(run.canonical())
        least[form] = min(used, least.get(form, used))
        while path and path[-1][1] + 1 == len(path[-1][0]):
            path.pop()
        if not path:
            break
        path[-1][1] += 1
    traces = [sum(u <= c for u in least.values()) for c in range(most + 1)]
    return [sum(schedules[:c + 1]) for c in range(most + 1)], traces


# Queue sizes and numbers of preemptions for which "the queue" is searched with a bound; 4 for size 3 takes minutes.
BOUNDS = {"the queue 3, bounded": (3, 2), "the queue 4, bounded": (4, 2), "the queue 5, bounded": (5, 2)}
SLOW_BOUNDS = {"the queue 3, bounded 4": (3, 4)}

MODELS = {
    "fdrd2": fdrd(1, 2, False), "fdrd2 tail 3": fdrd(1, 3, False), "fdrd2 fixed": fdrd(1, 2, True),
    "quicksort 2, 12": quicksort(2, 12), "quicksort 2, 24": quicksort(2, 24),
    "scanner 1, 1": scanner(1, 1), "scanner 1, 2": scanner(1, 2), "scanner 2, 0": scanner(2, 0),
    "scanner 2, 1": scanner(2, 1), "scanner 2, 0, bug 2": scanner(2, 0, bug=2),
    "scanner 2, 1, one place": scanner(2, 1, 1), "scanner 2, 1, arguments": scanner(2, 1, arguments=True),
    "scanner 2, 1, arguments, one place": scanner(2, 1, 1, arguments=True),
    "downloader 2x1": downloader(2, 1), "downloader 2x2": downloader(2, 2),
    "downloader 2x1 racy": downloader(2, 1, True),
    "compressor 2x2": compressor(2, 2), "compressor 2x4": compressor(2, 4), "compressor 3x2": compressor(3, 2),
    "compressor 3x3": compressor(3, 3), "compressor 3x3, window 1": compressor(3, 3, 1),
    "compressor 3x4": compressor(3, 4), "compressor 3x4, window 1": compressor(3, 4, 1),
    "compressor 3x4, window 1, signal": compressor(3, 4, 1, False),
    "the queue 2": the_queue(2, 2), "the queue 3, 1 steal": the_queue(3, 1), "the queue 3, 2 steals": the_queue(3, 2),
    "the queue 3": the_queue(3, 3), "the queue 2, 2 thieves": the_queue(2, 1, 2),
}

SLOW = {
    "fdrd4": fdrd(2, 0, False), "fdrd4 fixed": fdrd(2, 0, True), "downloader 3x1": downloader(3, 1),
    "scanner 2, 3": scanner(2, 3), "scanner 2, 3, on disk": scanner(2, 3, on_disk=True), "compressor 3x5": compressor(3, 5),
    "scanner 3, 0": scanner(3, 0), "the queue 4": the_queue(4, 4),
}


def formulas():
    for n in (8, 16, 24, 32, 64):
        ups, downs = len(range(0, n, 5)), len(range(0, n, 2))
        traces, forks = example1_traces(n, True)
        print(f"example1 N={n}: {comb(ups + downs, ups)} traces without the assertion, {traces} with it; "
              f"1 + states with two enabled threads: {ups * downs + 1} without, {forks} with it")


if __name__ == "__main__":
    names = sys.argv[1:]
    if not names:
        formulas()
    for name, model in (MODELS | SLOW).items():
        if name in names or (not names and name in MODELS):
            report(name, model)
    for name, (size, most) in (BOUNDS | SLOW_BOUNDS).items():
        if name in names or (not names and name in BOUNDS):
            schedules, traces = bounded(the_queue(size, size), most)
            print(f"{name:40} schedules {schedules}, traces {traces}, by preemptions from 0 on", flush=True)
