"""Counts the Mazurkiewicz traces of small program models, independently of the tool.

A thread is a generator: it yields the visible operation it is about to perform and is sent the outcome. The search
takes every enabled thread at every state and cuts only with sleep sets, which visit each maximal trace exactly once
(Godefroid 1996); that this holds is checked by comparing canonical forms. Operations that touch no object
(create, exit, join) are taken at once: nothing is dependent with them.

Operations: ("R", x)  ("W", x, value)  ("add", x, n)  ("or", x, n)  ("xchg", x, value)  ("cas", x, expected, new)
            ("lock", m)  ("try", m)  ("unlock", m)  ("wait", c, m)  ("timedwait", c, m)  ("signal", c)  ("broadcast", c)
            ("fwait", x, expected)  ("timedfwait", x, expected)  ("wake", x)  ("wakeall", x)
            ("wakesome", x, n)  ("fwaitbits", x, expected, bits)  ("wakebits", x, n, bits)
            ("requeue", x, y, wakes, moves, expected)  expected: None where nothing is compared. In a model with
            these, the attribute `one_queue` says that the queues of all words are one object.
            ("joinword", x, expected) -> joined?, ("rest",), ("leaveword", x) -> woken?: steps of a wait for several
            words; ("pilock", x) -> "free", "others" or "own", ("piunlock", x) -> owned?: at a lock with priority
            inheritance, whose word holds the owner's number counted from 1, and WAITERS
            ("pw", l, step, side) at a read-write lock that prefers writers: "try" -> taken?, "announce", "withdraw", "lock",
            "unlock"
            ("create", generator)  ("join", thread)  ("choose", n)  ("assume",)  ("once", o) -> runs?  ("oncedone", o)
            ("spin", [locations])  the loop that was left with these values is parked until one of them changes
            ("spin", {location: value})  the same, unless one of them has another value than this one already
A write is sent the value before; a wait for a futex word "woken", "again" or "expired"; a wake how many it woke, a requeue how many it woke or
moved, or "again". A model's attribute `together` names the locations that one of its loops watches
together: accesses to them count as accesses to one location (guest/src/engine/watch_sets.rs).
"""

from itertools import combinations

WAITERS = 1 << 31

READ_ONLY = {("r", "r"), ("probe", "probe"), ("pass", "pass"), ("enq", "enq"), ("enq", "deq"), ("deq", "enq"),
             ("deq", "deq"), ("nobody", "nobody")}


def dependent(a, b):
    """Whether two footprints (lists of (object, mode)) conflict."""
    return any(x == y and (m, n) not in READ_ONLY for x, m in a for y, n in b)


def queue(word):
    """Where those are who wait for a futex word."""
    return "queue", word


class Thread:
    __slots__ = ("gen", "op", "state", "watch", "by", "wait", "bits", "woken")

    def __init__(self, gen, by):
        self.gen, self.op, self.state, self.watch, self.by, self.wait = gen, None, "running", None, by, None
        self.woken = None


class Run:
    """One execution in progress."""

    def __init__(self, main):
        self.together = getattr(main, "together", ())
        self.one_queue = getattr(main, "one_queue", False)
        self.memory, self.owner, self.waiters, self.once, self.locks = {}, {}, {}, {}, {}
        self.events = []
        self.threads = [Thread(main(), None)]
        self.advance(0, None)

    def advance(self, t, result):
        """Runs a thread to its next visible operation."""
        thread = self.threads[t]
        try:
            op = thread.gen.send(result)
            while op[0] == "spin":
                values = [(x, self.memory.get(x, 0)) for x in op[1]]
                changed = isinstance(op[1], dict) and any(op[1][x] != value for x, value in values)
                op = thread.gen.send(None)
                thread.watch = None if changed else values
        except StopIteration:
            op = ("exit",)
        thread.op = op
        thread.state = "parked" if thread.watch else "ready"

    def enabled(self, t):
        thread = self.threads[t]
        if thread.state != "ready":
            return False
        op = thread.op
        kind = op[0]
        if kind == "lock" or kind == "reacquire":
            return self.owner.get(op[-1]) is None
        if kind == "join":
            return self.threads[op[1]].state == "ended"
        if kind == "once":
            return self.once.get(op[1]) != "running"
        if kind == "rest":
            return thread.woken is not None
        if kind == "pw" and op[2] == "lock":
            return self.admits(op[1], op[3])
        return kind != "assume" and kind != "waiting"

    def choices(self, t):
        op = self.threads[t].op
        if op[0] == "signal":
            return sorted(self.waiters.get(op[1], ())) or [None]
        if op[0] in ("wake", "piunlock"):
            return sorted(self.waiters.get(queue(op[1]), ())) or [None]
        if op[0] in ("wakesome", "wakebits"):
            found = self.selected(op)
            return list(combinations(found, op[2])) if len(found) > op[2] else [tuple(found)]
        if op[0] == "requeue":
            return self.requeues(op)
        if op[0] == "choose":
            return range(op[1])
        return [None]

    def requeues(self, op):
        """Whom a requeue may wake and move."""
        waiters = sorted(self.waiters.get(queue(op[1]), ()))
        ways = []
        for woken in combinations(waiters, min(op[3], len(waiters))):
            rest = [w for w in waiters if w not in woken]
            ways += [(woken, moved) for moved in combinations(rest, min(op[4], len(rest)))]
        return ways

    def selected(self, op):
        """Whom a wake of some may wake."""
        found = sorted(self.waiters.get(queue(op[1]), ()))
        return [w for w in found if op[0] == "wakesome" or self.threads[w].bits & op[3]]

    def admits(self, lock, side):
        owner, readers, announced = self.locks.get(lock, (None, (), 0))
        return owner is None and (not announced if side == "r" else not readers)

    def footprint(self, t):
        return [("together" if x in self.together else x, mode) for x, mode in self.touched(t)]

    def touched(self, t):
        op = self.threads[t].op
        kind = op[0]
        if self.one_queue and kind in ("wake", "wakeall", "wakesome", "wakebits"):
            return [("queues", "select")]
        if kind == "pilock":
            return [(op[1], "w"), (queue(op[1]), "enq")]
        if kind == "piunlock":
            return [(op[1], "w"), (queue(op[1]), "select")]
        if kind == "leaveword":
            return [("queues" if self.one_queue else queue(op[1]), "deq")]
        if kind == "joinword":
            return [(op[1], "r"), ("queues", "enq")]
        if self.one_queue and kind == "fexpire":
            return [("queues", "deq")]
        if self.one_queue and kind in ("fwait", "timedfwait", "fwaitbits"):
            return [(op[1], "r"), ("queues", "enq")]
        if kind == "requeue":
            return [("queues", "select")] + ([] if op[5] is None else [(op[1], "r")])
        if kind == "R":
            return [(op[1], "r")]
        if kind in ("W", "add", "or", "xchg"):
            return [(op[1], "w")]
        if kind == "cas":
            return [(op[1], "w" if self.memory.get(op[1], 0) == op[2] else "r")]
        if kind in ("lock", "reacquire"):
            return [(op[-1], "acq")]
        if kind == "try":
            return [(op[1], "acq" if self.owner.get(op[1]) is None else "probe")]
        if kind == "unlock":
            return [(op[1], "rel")]
        if kind in ("wait", "timedwait"):
            return [(op[1], "enq"), (op[2], "rel")]
        if kind in ("fwait", "timedfwait", "fwaitbits"):
            return [(op[1], "r"), (queue(op[1]), "enq")]
        if kind in ("wake", "wakeall"):
            return [(queue(op[1]), "wake" if self.waiters.get(queue(op[1])) else "nobody")]
        if kind == "wakesome":
            return [(queue(op[1]), "wake" if self.waiters.get(queue(op[1])) else "nobody")]
        if kind == "wakebits":
            return [(queue(op[1]), "select")]
        if kind == "pw":
            return [(op[1], "pw")]
        if kind in ("expire", "fexpire"):
            return [(op[1], "deq")]
        if kind in ("signal", "broadcast"):
            return [(op[1], "wake" if self.waiters.get(op[1]) else "nobody")]
        if kind == "once":
            return [(op[1], "pass" if self.once.get(op[1]) == "done" else "run")]
        if kind == "oncedone":
            return [(op[1], "oncedone")]
        return []

    def step(self, t, choice):
        """Takes the thread's operation."""
        thread = self.threads[t]
        op = thread.op
        kind = op[0]
        by = thread.woken if kind == "rest" else thread.by
        touched = self.footprint(t)
        at = len(self.events)
        self.events.append((t, kind if kind != "try" else "try" + touched[0][1], touched, choice, by))
        thread.by = None
        result = None
        mem = self.memory
        if kind == "R":
            result = mem.get(op[1], 0)
        elif kind == "W":
            result = mem.get(op[1], 0)
            mem[op[1]] = op[2]
        elif kind == "add":
            result = mem.get(op[1], 0)
            mem[op[1]] = result + op[2]
        elif kind == "or":
            result = mem.get(op[1], 0)
            mem[op[1]] = result | op[2]
        elif kind == "xchg":
            result = mem.get(op[1], 0)
            mem[op[1]] = op[2]
        elif kind == "cas":
            result = mem.get(op[1], 0)
            if result == op[2]:
                mem[op[1]] = op[3]
        elif kind in ("lock", "reacquire"):
            self.owner[op[-1]] = t
            result = thread.wait
            thread.wait = None
        elif kind == "try":
            result = touched[0][1] == "acq"
            if result:
                self.owner[op[1]] = t
        elif kind == "unlock":
            self.owner[op[1]] = None
        elif kind in ("wait", "timedwait"):
            self.owner[op[2]] = None
            self.waiters.setdefault(op[1], set()).add(t)
            thread.op = ("expire" if kind == "timedwait" else "waiting", op[1], op[2])
            return
        elif kind == "expire":
            self.waiters[op[1]].discard(t)
            thread.wait = "expired"
            thread.op = ("reacquire", op[1], op[2])
            return
        elif kind in ("fwait", "timedfwait", "fwaitbits") and mem.get(op[1], 0) != op[2]:
            result = "again"
        elif kind in ("fwait", "timedfwait", "fwaitbits"):
            thread.bits = op[3] if kind == "fwaitbits" else -1
            self.waiters.setdefault(queue(op[1]), set()).add(t)
            thread.op = ("fexpire", queue(op[1])) if kind == "timedfwait" else ("waiting",)
            return
        elif kind == "fexpire":
            self.waiters[op[1]].discard(t)
            result = "expired"
        elif kind == "resume":
            result = "woken"
        elif kind == "wake":
            result = 0 if choice is None else 1
            if choice is not None:
                self.wake(queue(op[1]), [choice], at)
        elif kind in ("wakesome", "wakebits"):
            result = len(choice)
            self.wake(queue(op[1]), choice, at)
        elif kind == "requeue" and op[5] is not None and mem.get(op[1], 0) != op[5]:
            result = "again"
        elif kind == "requeue":
            woken, moved = choice
            result = len(woken) + len(moved)
            self.wake(queue(op[1]), woken, at)
            for w in moved:
                self.waiters[queue(op[1])].discard(w)
                self.waiters.setdefault(queue(op[2]), set()).add(w)
                if self.threads[w].op[0] == "fexpire":
                    self.threads[w].op = ("fexpire", queue(op[2]))
        elif kind == "joinword":
            result = mem.get(op[1], 0) == op[2]
            if result:
                self.waiters.setdefault(queue(op[1]), set()).add(t)
        elif kind == "rest":
            thread.woken = None
        elif kind == "leaveword":
            result = t not in self.waiters[queue(op[1])]
            self.waiters[queue(op[1])].discard(t)
            thread.woken = None
        elif kind == "pilock":
            owner = mem.get(op[1], 0) & ~WAITERS
            result = "free" if owner == 0 else "own" if owner == t + 1 else "others"
            if result == "free":
                mem[op[1]] = t + 1
            if result == "others":
                mem[op[1]] |= WAITERS
                self.waiters.setdefault(queue(op[1]), set()).add(t)
        elif kind == "piunlock":
            result = mem.get(op[1], 0) & ~WAITERS == t + 1
            if result:
                mem[op[1]] = 0 if choice is None else choice + 1 | WAITERS
                self.wake(queue(op[1]), [] if choice is None else [choice], at)
        elif kind == "pw":
            result = self.at_lock(t, *op[1:])
        elif kind == "wakeall":
            woken = sorted(self.waiters.get(queue(op[1]), ()))
            result = len(woken)
            self.wake(queue(op[1]), woken, at)
        elif kind == "signal":
            if choice is not None:
                self.wake(op[1], [choice], at)
        elif kind == "broadcast":
            self.wake(op[1], sorted(self.waiters.get(op[1], ())), at)
        elif kind == "once":
            result = self.once.get(op[1]) is None
            if result:
                self.once[op[1]] = "running"
        elif kind == "oncedone":
            self.once[op[1]] = "done"
        elif kind == "create":
            child = len(self.threads)
            self.threads.append(Thread(op[1], at))
            self.advance(child, None)
            result = child
        elif kind == "exit":
            thread.state = "ended"
            thread.wait = at
            return
        elif kind == "choose":
            result = choice
        self.advance(t, result)
        for other in self.threads:
            if other.watch and any(mem.get(x, 0) != v for x, v in other.watch):
                other.watch, other.state, other.by = None, "ready", at

    def at_lock(self, t, lock, step, side):
        """A step at a read-write lock that prefers waiting writers."""
        owner, readers, announced = self.locks.get(lock, (None, (), 0))
        result = None
        if step == "try":
            result = self.admits(lock, side)
        announced += {"announce": 1, "withdraw": -1}.get(step, -1 if (step, side) == ("lock", "w") else 0)
        if step == "lock" or result:
            owner, readers = (owner, (*readers, t)) if side == "r" else (t, readers)
        elif step == "unlock" and owner == t:
            owner = None
        elif step == "unlock":
            at = readers.index(t)
            readers = readers[:at] + readers[at + 1:]
        self.locks[lock] = (owner, readers, announced)
        return result

    def wake(self, cond, threads, at):
        for w in threads:
            self.waiters[cond].discard(w)
            waiter = self.threads[w]
            if waiter.op[0] in ("joinword", "rest", "leaveword"):
                waiter.woken = at if waiter.woken is None else waiter.woken
                continue
            waiter.op = ("resume",) if cond[0] == "queue" else ("reacquire", cond, waiter.op[2])
            waiter.by = at

    def canonical(self):
        """A form that equivalent executions share: per thread its events with their immediate dependent past."""
        index = {}
        names = []
        for t, kind, touched, choice, by in self.events:
            n = index.get(t, 0)
            index[t] = n + 1
            names.append((t, n))
        out = []
        for i, (t, kind, touched, choice, by) in enumerate(self.events):
            past = {}
            for j in range(i):
                other = self.events[j]
                if other[0] != t and dependent(other[2], touched):
                    past[other[0]] = names[j][1]
            out.append((names[i], kind, choice, None if by is None else names[by], tuple(sorted(past.items()))))
        return tuple(sorted(out, key=lambda e: e[0]))

    def ending(self):
        live = [t for t in self.threads if t.state != "ended"]
        if not live:
            return "completed"
        if any(t.op[0] == "assume" for t in live):
            return "assume_blocked"
        return "livelock" if any(t.state == "parked" for t in live) else "deadlock"


def explore(main, limit=None, check=True, bound=None):
    """Counts the maximal traces of `main` by how they end."""
    counts, seen, nodes = {}, set(), []
    cut = 0

    def local(run):
        for t in range(len(run.threads)):
            if run.enabled(t) and run.threads[t].op[0] in ("create", "exit", "join", "resume", "rest"):
                return t
        return None

    path = []  # of [options, position, sleep]
    while True:
        run = Run(main)
        depth = 0
        sleep = []
        while True:
            t = local(run)
            if t is not None:
                run.step(t, None)
                continue
            if depth < len(path):
                node = path[depth]
            else:
                options = []
                some = False
                for t in range(len(run.threads)):
                    if run.enabled(t):
                        some = True
                        foot = run.footprint(t)
                        for c in run.choices(t):
                            if not any(s[0] == t and s[1] == c for s in sleep):
                                options.append((t, c, foot))
                if not options:
                    if some:
                        cut += 1
                    else:
                        end = run.ending()
                        counts[end] = counts.get(end, 0) + 1
                        if check:
                            form = hash(run.canonical())
                            assert form not in seen, "a trace was visited twice"
                            seen.add(form)
                    break
                node = [options, 0, sleep]
                path.append(node)
            options, at, asleep = node
            t, c, foot = options[at]
            asleep = asleep + options[:at]
            sleep = [s for s in asleep if s[0] != t and not dependent(s[2], foot)]
            run.step(t, c)
            depth += 1
        while path and path[-1][1] + 1 == len(path[-1][0]):
            path.pop()
        if not path:
            break
        path[-1][1] += 1
        if limit and sum(counts.values()) >= limit:
            counts["..."] = 1
            break
    return counts


def program(*threads):
    """Main that creates these threads (functions without parameters) and joins them."""
    def main():
        ids = []
        for thread in threads:
            ids.append((yield ("create", thread())))
        for t in ids:
            yield ("join", t)
    return main
