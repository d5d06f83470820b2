"""Models of the corpus programs whose counts have no closed formula, and what the oracle counts for them.

Run `python3 corpus/derive/models.py [NAME...]`; without names, everything that takes less than about a minute.
Each model lists the visible operations of its program in order; plain accesses of race-free programs are left out.
"""

import sys
import time

from oracle import explore, program


def readers(n):
    def writer():
        yield "W", "x", 1

    def reader():
        yield "R", "x"
    return program(writer, *[reader] * n)


def lastzero(n):
    def search():
        i = n
        while (yield "R", ("a", i)) != 0:
            i -= 1

    def fill(i):
        def thread():
            before = yield "R", ("a", i - 1)
            yield "W", ("a", i), before + 1
        return thread
    return program(search, *[fill(i) for i in range(1, n + 1)])


def mutex(n, k):
    def thread():
        for _ in range(k):
            yield "lock", "m"
            yield "unlock", "m"
    return program(*[thread] * n)


def indexer(n):
    """Only the threads that can meet another one (t and t + 11)."""
    def insert(t):
        def thread():
            for i in range(1, 5):
                w = i * 11 + t
                h = w * 7 % 128
                while True:
                    yield "lock", h
                    done = (yield "R", ("table", h)) == 0
                    if done:
                        yield "W", ("table", h), w
                    yield "unlock", h
                    if done:
                        break
                    h = (h + 1) % 128
        return thread
    meeting = [t for t in range(n) if t + 11 < n or t >= 11]
    return program(*[insert(t) for t in meeting])


def fsbench(n):
    def allocate(t):
        def thread():
            i = t % 32
            yield "lock", ("inode", i)
            b = i * 2 % 26
            while True:
                yield "lock", ("block", b)
                free = (yield "R", ("busy", b)) == 0
                if free:
                    yield "W", ("busy", b), 1
                yield "unlock", ("block", b)
                if free:
                    break
                b = (b + 1) % 26
            yield "unlock", ("inode", i)
        return thread
    meeting = [t for t in range(n) if t + 13 < n or t >= 13]
    return program(*[allocate(t) for t in meeting])


def xy():
    def t1():
        yield "W", "x", 1
        yield "W", "x", 2

    def t2():
        yield "W", "y", 1
        yield "W", "x", 3
    return program(t1, t2)


def figure51():
    def t1():
        yield "lock", "f1"
        yield "R", "x"
        yield "W", "x", 1
        yield "unlock", "f1"
        yield "lock", "f2"
        yield "R", "y"
        yield "W", "y", 1
        yield "unlock", "f2"
        yield "lock", "f1"
        yield "unlock", "f1"

    def t2():
        yield "lock", "f1"
        yield "lock", "f2"
        c = yield "R", "x"
        yield "unlock", "f2"
        yield "unlock", "f1"
        yield "lock", "f1"
        if c == 0:
            yield "R", "y"
            yield "W", "y", 2
        yield "unlock", "f1"
    return program(t1, t2)


def database_bad(a_threads, b_threads):
    """Plain counters live in the memory of the run, accessed in atomic steps with the locks that guard them."""
    def operation(mine):
        def thread():
            yield "lock", "mutex"
            if (yield "add", mine, 1) == 0:
                yield "lock", "lock"
            yield "unlock", "mutex"
            yield "lock", "mutex"
            if (yield "add", mine, -1) == 1:
                yield "unlock", "lock"
            yield "unlock", "mutex"
        return thread
    return program(*[operation("a")] * a_threads, *[operation("b")] * b_threads)


def database_good(a_threads, b_threads):
    def operation(mine, other):
        def thread():
            yield "lock", "m"
            while (yield "R", other) > 0:
                yield "wait", "c", "m"
            yield "add", mine, 1
            yield "unlock", "m"
            yield "lock", "m"
            if (yield "add", mine, -1) == 1:
                yield "broadcast", "c"
            yield "unlock", "m"
        return thread
    return program(*[operation("a", "b")] * a_threads, *[operation("b", "a")] * b_threads)


def philosophers():
    def take(fork):
        yield "lock", fork
        while (yield "R", ("owner", fork)) != 0:
            yield "wait", ("free", fork), fork
        yield "W", ("owner", fork), 1
        yield "unlock", fork

    def put(fork):
        yield "lock", fork
        yield "W", ("owner", fork), 0
        yield "unlock", fork
        yield "signal", ("free", fork)

    def philosopher():
        yield from take("f1")
        yield from take("f2")
        yield from put("f1")
        yield from put("f2")
    return program(philosopher, philosopher)


def bounded_buffer(producers, consumers, size, items=1):
    def put():
        yield "lock", "m"
        while (yield "R", "count") == size:
            yield "wait", "not_full", "m"
        yield "add", "count", 1
        yield "signal", "not_empty"
        yield "unlock", "m"

    def get():
        yield "lock", "m"
        while (yield "R", "count") == 0:
            yield "wait", "not_empty", "m"
        yield "add", "count", -1
        yield "signal", "not_full"
        yield "unlock", "m"

    def producer():
        for _ in range(items):
            yield from put()

    def consumer():
        for _ in range(items):
            yield from get()
    return program(*[producer] * producers, *[consumer] * consumers)


def lost_wakeup_bad():
    def waiter():
        if (yield "R", "ready") == 0:
            yield "lock", "m"
            yield "wait", "c", "m"
            yield "unlock", "m"

    def signaller():
        yield "W", "ready", 1
        yield "lock", "m"
        yield "signal", "c"
        yield "unlock", "m"
    return program(waiter, signaller)


def lost_wakeup_good():
    def waiter():
        yield "lock", "m"
        while (yield "R", "ready") == 0:
            yield "wait", "c", "m"
        yield "unlock", "m"

    def signaller():
        yield "lock", "m"
        yield "W", "ready", 1
        yield "signal", "c"
        yield "unlock", "m"
    return program(waiter, signaller)


def abba(ordered):
    def take(first, second):
        def thread():
            yield "lock", first
            yield "lock", second
            yield "unlock", second
            yield "unlock", first
        return thread
    return program(take("a", "b"), take("a", "b") if ordered else take("b", "a"))


def double_checked(n=2):
    def user():
        if (yield "R", "instance") == 0:
            yield "lock", "m"
            if (yield "R", "instance") == 0:
                yield "W", "instance", 1
            yield "unlock", "m"
    return program(*[user] * n)


def spinlock(n):
    def thread():
        while (yield "xchg", "l", 1) != 0:
            yield "spin", ["l"]
        yield "W", "l", 0
    return program(*[thread] * n)


def ticket_lock(n):
    def thread():
        mine = yield "add", "next", 1
        while (yield "R", "serving") != mine:
            yield "spin", ["serving"]
        now = yield "R", "serving"
        yield "W", "serving", now + 1
    return program(*[thread] * n)


def refcount_good(n):
    def owner():
        yield "add", "references", -1
    return program(*[owner] * n)


def treiber(operations):
    """One string of operations for each thread: u pushes, o pops."""
    def thread(t, steps):
        def body():
            for i, step in enumerate(steps):
                old = yield "R", "top"
                if step == "u":
                    mine = (t, i)
                    while True:
                        seen = yield "cas", "top", old, (mine, old)
                        if seen == old:
                            break
                        old = seen
                else:
                    while old != 0:
                        seen = yield "cas", "top", old, old[1]
                        if seen == old:
                            break
                        old = seen
        return body
    return program(*[thread(t, steps) for t, steps in enumerate(operations)])


def treiber_reload(operations):
    """The same, but a failed compare-and-swap loads the top anew."""
    def thread(t, steps):
        def body():
            for i, step in enumerate(steps):
                while True:
                    old = yield "R", "top"
                    if step == "o" and old == 0:
                        break
                    new = old[1] if step == "o" else ((t, i), old)
                    if (yield "cas", "top", old, new) == old:
                        break
        return body
    return program(*[thread(t, steps) for t, steps in enumerate(operations)])


def michael_scott(producers, consumers, items=1):
    """Main's own dequeues come after every join and add nothing."""
    def enqueue(node):
        while True:
            last = (yield "R", "tail") or "dummy"
            following = yield "R", ("next", last)
            if following != 0:
                yield "cas", "tail", last if last != "dummy" else 0, following
                continue
            if (yield "cas", ("next", last), 0, node) == 0:
                yield "cas", "tail", last if last != "dummy" else 0, node
                return

    def dequeue():
        while True:
            first = (yield "R", "head") or "dummy"
            last = (yield "R", "tail") or "dummy"
            following = yield "R", ("next", first)
            if following == 0:
                return
            if first == last:
                yield "cas", "tail", last if last != "dummy" else 0, following
                continue
            raw = first if first != "dummy" else 0
            if (yield "cas", "head", raw, following) == raw:
                return

    def producer(p):
        def thread():
            for i in range(items):
                yield "W", ("next", (p, i)), 0
                yield from enqueue((p, i))
        return thread

    def consumer():
        for _ in range(items):
            yield from dequeue()
    return program(*[producer(p) for p in range(producers)], *[consumer] * consumers)


def chase_lev(pushes, takes, stealers, steals=1):
    def owner():
        for i in range(1, pushes + 1):
            b = yield "R", "bottom"
            yield "W", ("item", b % 8), i
            yield "W", "bottom", b + 1
        for _ in range(takes):
            b = (yield "R", "bottom") - 1
            yield "W", "bottom", b
            t = yield "R", "top"
            if t > b:
                yield "W", "bottom", b + 1
                continue
            yield "R", ("item", b % 8)
            if t == b:
                yield "cas", "top", t, t + 1
                yield "W", "bottom", b + 1

    def stealer():
        for _ in range(steals):
            t = yield "R", "top"
            b = yield "R", "bottom"
            if t < b:
                yield "R", ("item", t % 8)
                yield "cas", "top", t, t + 1
    return program(owner, *[stealer] * stealers)


def message_passing():
    def sender():
        yield "W", "flag", 1

    def receiver():
        yield "R", "flag"
    return program(sender, receiver)


def once(n):
    def thread():
        if (yield "once", "o"):
            yield "oncedone", "o"
    return program(*[thread] * n)


def signal_choice(broadcast):
    def waiter(i):
        def thread():
            yield "lock", "m"
            while (yield "R", ("ready", i)) == 0:
                yield "wait", "c", "m"
            yield "unlock", "m"
        return thread

    def main():
        ids = []
        for i in range(2):
            ids.append((yield "create", waiter(i)()))
        for i in range(2):
            yield "lock", "m"
            yield "W", ("ready", i), 1
            yield ("broadcast" if broadcast else "signal"), "c"
            yield "unlock", "m"
            yield "join", ids[i]
    return main


def assume_counts():
    def reader():
        if (yield "R", "x") != 1:
            yield "assume",

    def writer():
        yield "W", "x", 1
    return program(reader, writer)


def assume_no_deadlock():
    def doubtful():
        yield "lock", "m"
        yield "assume",

    def other():
        yield "lock", "m"
        yield "unlock", "m"
    return program(doubtful, other)


def lock_pending():
    def thread():
        yield "lock", "m"
    return program(thread, thread)


def lock_cycle(ordered):
    def philosopher(i):
        def thread():
            first, second = i, (i + 1) % 3
            if ordered and first > second:
                first, second = second, first
            yield "lock", first
            yield "lock", second
            yield "unlock", second
            yield "unlock", first
        return thread
    return program(*[philosopher(i) for i in range(3)])


def trylock():
    def locker():
        yield "lock", "m"
        yield "unlock", "m"

    def trier():
        if (yield "try", "m"):
            yield "unlock", "m"
    return program(locker, trier)


def trylock_abba():
    def locker():
        yield "lock", "a"
        yield "lock", "b"
        yield "unlock", "b"
        yield "unlock", "a"

    def trier():
        yield "lock", "b"
        if (yield "try", "a"):
            yield "unlock", "a"
        yield "unlock", "b"
    return program(locker, trier)


def timedwait():
    """A waiter whose wait may expire; it gives up then."""
    def waiter():
        yield "lock", "m"
        while (yield "R", "ready") == 0:
            if (yield "timedwait", "c", "m") == "expired":
                break
        yield "unlock", "m"

    def main():
        child = yield "create", waiter()
        yield "lock", "m"
        yield "W", "ready", 1
        yield "signal", "c"
        yield "unlock", "m"
        yield "join", child
    return main


def choose():
    def thread():
        yield "choose", 3
        yield "add", "x", 1
    return program(thread, thread)


def branch_on_read():
    def setter():
        yield "lock", "a"
        yield "W", "mode", 1
        yield "lock", "b"
        yield "unlock", "b"
        yield "unlock", "a"

    def follower():
        if (yield "R", "mode") == 1:
            yield "lock", "b"
            yield "lock", "a"
            yield "unlock", "a"
            yield "unlock", "b"
    return program(setter, follower)


def nested_create():
    def leaf():
        yield "add", "x", 1

    def branch():
        yield "add", "x", 1
        child = yield "create", leaf()
        yield "join", child
    return program(branch, branch)


def loop_flag():
    def waiter():
        while (yield "R", "flag") == 0:
            yield "spin", ["flag"]

    def main():
        child = yield "create", waiter()
        yield "W", "flag", 1
        yield "join", child
    return main


def livelock(values):
    def waiter():
        while (yield "R", "flag") != 1:
            yield "spin", ["flag"]

    def main():
        child = yield "create", waiter()
        for value in values:
            yield "W", "flag", value
        yield "join", child
    return main


def loop_ping_pong(rounds):
    def player(me):
        def thread():
            for _ in range(rounds):
                while (yield "R", "turn") != me:
                    yield "spin", ["turn"]
                yield "W", "turn", 1 - me
        return thread
    return program(player(0), player(1))


def loop_bounded():
    def waiter():
        looks = 0
        while (yield "R", "flag") == 0 and looks < 3:
            looks += 1

    def main():
        child = yield "create", waiter()
        yield "W", "flag", 1
        yield "join", child
    return main


def loop_own_write():
    def climber():
        while (yield "R", "x") < 4:
            yield "add", "x", 1
    return program(climber, climber)


def loop_local_state(looks):
    def waiter():
        for _ in range(looks):
            if (yield "R", "flag") != 0:
                break

    def main():
        child = yield "create", waiter()
        yield "W", "flag", 1
        yield "join", child
    return main


def loop_choice():
    def waiter():
        for _ in range(2):
            if (yield "R", "flag") == 0 and (yield "choose", 2) == 1:
                return

    def main():
        child = yield "create", waiter()
        yield "W", "flag", 1
        yield "join", child
    return main


def loop_heartbeat(beats):
    def worker():
        while (yield "R", "stop") == 0:
            if (yield "W", "alive", 1) == 1:
                yield "spin", {"stop": 0, "alive": 1}

    def main():
        child = yield "create", worker()
        for _ in range(beats):
            yield "W", "alive", 0
            while (yield "R", "alive") == 0:
                yield "spin", ["alive"]
        yield "W", "stop", 1
        yield "join", child
    main.together = ["stop", "alive"]
    return main


def loop_acknowledge():
    def responder():
        while True:
            request = yield "R", "request"
            silent = (yield "W", "answer", request) == request
            if request == 2:
                break
            if silent:
                yield "spin", {"request": request, "answer": request}

    def main():
        child = yield "create", responder()
        yield "W", "request", 1
        while (yield "R", "answer") != 1:
            yield "spin", ["answer"]
        yield "W", "answer", 0
        while (yield "R", "answer") != 1:
            yield "spin", ["answer"]
        yield "W", "request", 2
        yield "join", child
    main.together = ["request", "answer"]
    return main


def loop_either():
    def waiter():
        while (yield "R", "a") == 0 and (yield "R", "b") == 0:
            yield "spin", {"a": 0, "b": 0}

    def setter(x):
        def thread():
            yield "W", x, 1
        return thread
    main = program(waiter, setter("a"), setter("b"))
    main.together = ["a", "b"]
    return main


def loop_counted():
    def waiter():
        while (yield "R", "flag") == 0:
            yield "add", "rounds", 1
            yield "spin", {"flag": 0}

    def main():
        child = yield "create", waiter()
        yield "W", "flag", 1
        yield "join", child
    main.together = ["flag", "rounds"]
    return main


def loop_around():
    def waiter():
        while True:
            over, stored = (yield "R", "over"), False
            while (yield "R", "ready") == 0:
                if stored:
                    yield "spin", {"ready": 0}
                else:
                    yield "add", "passes", 1
                    stored = True
            if over:
                break
            if not stored:
                yield "spin", {"over": 0, "ready": 1}

    def main():
        child = yield "create", waiter()
        for name, value in (("ready", 1), ("ready", 0), ("ready", 1), ("over", 1)):
            yield "W", name, value
        yield "R", "passes"
        yield "join", child
    main.together = ["over", "ready"]
    return main


def loop_fields(fields):
    def waiter():
        while True:
            values = {}
            for name in fields:
                values[name] = yield "R", name
            if all(values.values()):
                break
            yield "spin", values

    def main():
        child = yield "create", waiter()
        for name in fields:
            yield "W", name, 1
        yield "join", child
    main.together = fields
    return main


def adders(n, k):
    def thread():
        for _ in range(k):
            yield "add", "x", 1
    return program(*[thread] * n)


def atomic_sizes():
    def thread():
        for x in "abcd":
            yield "add", x, 1
        old = yield "R", "e"
        while True:
            seen = yield "cas", "e", old, old + 1
            if seen == old:
                break
            old = seen
    return program(thread, thread)


def preemptions():
    def checker():
        for _ in range(3):
            yield "R", "x"

    def writer():
        yield "W", "x", 1
        yield "W", "x", 2
    return program(checker, writer)


def load_store(n):
    def thread():
        old = yield "R", "counter"
        yield "W", "counter", old + 1
    return program(*[thread] * n)


def release_sequence(broken):
    def sender():
        yield "W", "flag", 1

    def between():
        if broken:
            if (yield "R", "flag") == 1:
                yield "W", "flag", 2
        else:
            yield "cas", "flag", 1, 2

    def receiver():
        yield "R", "flag"
    return program(sender, between, receiver)


def failed_cas():
    def sender():
        yield "W", "flag", 1

    def receiver():
        yield "cas", "flag", 2, 3
    return program(sender, receiver)


def foreign_free():
    def owner():
        yield "W", "slot", 1

    def consumer():
        yield "xchg", "slot", 0
    return program(owner, consumer)


MODELS = {
    "readers 4": readers(4), "readers 8": readers(8), "lastzero 5": lastzero(5), "lastzero 8": lastzero(8),
    "mutex 2x1": mutex(2, 1), "mutex 3x1": mutex(3, 1), "mutex 4x1": mutex(4, 1), "mutex 5x1": mutex(5, 1),
    "mutex 3x2": mutex(3, 2), "mutex 3x3": mutex(3, 3), "mutex 4x2": mutex(4, 2),
    "indexer 12": indexer(12),
    "fsbench 14": fsbench(14), "fsbench 15": fsbench(15),
    "xy": xy(), "figure51": figure51(),
    "database bad 1+1": database_bad(1, 1), "database good 1+1": database_good(1, 1),
    "database good 2+1": database_good(2, 1), "philosophers": philosophers(),
    "bounded buffer 1+1 size 1": bounded_buffer(1, 1, 1),
    "bounded buffer 1+1 size 1, 2 items": bounded_buffer(1, 1, 1, 2),
    "bounded buffer 2+2 size 1": bounded_buffer(2, 2, 1), "bounded buffer 2+2 size 2": bounded_buffer(2, 2, 2),
    "lost wake-up bad": lost_wakeup_bad(), "lost wake-up good": lost_wakeup_good(),
    "abba bad": abba(False), "abba good": abba(True), "double checked": double_checked(),
    "spinlock 2": spinlock(2), "spinlock 3": spinlock(3), "ticket lock 2": ticket_lock(2),
    "ticket lock 3": ticket_lock(3), "refcount good 3": refcount_good(3),
    "treiber u,u": treiber(["u", "u"]), "treiber uo,uo": treiber(["uo", "uo"]),
    "treiber reload uo,uo": treiber_reload(["uo", "uo"]),
    "michael-scott 2+0": michael_scott(2, 0), "michael-scott 1+1": michael_scott(1, 1),
    "michael-scott 2+1": michael_scott(2, 1), "chase-lev 1+1, 1": chase_lev(1, 1, 1),
    "chase-lev 2+2, 1": chase_lev(2, 2, 1), "chase-lev 2+2, 2": chase_lev(2, 2, 2),
    "message passing": message_passing(), "once 2": once(2), "once 3": once(3),
    "signal choice, signal": signal_choice(False), "signal choice, broadcast": signal_choice(True),
    "assume counts": assume_counts(), "assume no deadlock": assume_no_deadlock(), "lock pending": lock_pending(),
    "lock cycle": lock_cycle(False), "lock cycle ordered": lock_cycle(True), "trylock": trylock(),
    "trylock abba": trylock_abba(), "timedwait": timedwait(), "choose": choose(),
    "branch on read": branch_on_read(), "nested create": nested_create(), "loop flag": loop_flag(),
    "livelock bad": livelock([1, 0]), "livelock good": livelock([2, 1]), "ping-pong 3": loop_ping_pong(3),
    "loop bounded": loop_bounded(), "loop own write": loop_own_write(), "loop local state": loop_local_state(5),
    "loop choice": loop_choice(), "loop heartbeat": loop_heartbeat(2), "loop acknowledge": loop_acknowledge(),
    "loop either": loop_either(), "loop counted": loop_counted(), "loop around": loop_around(),
    "loop fields 2": loop_fields(["a", "b"]), "loop fields 3": loop_fields(["a", "b", "c"]),
    "adders 2x1": adders(2, 1), "adders 2x3": adders(2, 3),
    "atomic sizes": atomic_sizes(), "preemptions": preemptions(), "load and store 2": load_store(2),
    "release sequence": release_sequence(False), "release sequence, broken": release_sequence(True),
    "failed cas": failed_cas(), "foreign free": foreign_free(),
}

SLOW = {
    "treiber uo,uo,uo": treiber(["uo"] * 3), "treiber uuu,ooo,ooo": treiber(["uuu", "ooo", "ooo"]),
    "chase-lev 3+3, 2": chase_lev(3, 3, 2), "chase-lev 3+3, 2, twice": chase_lev(3, 3, 2, 2),
    "bounded buffer 2+2 size 1, 2 items": bounded_buffer(2, 2, 1, 2),
    "bounded buffer 2+2 size 2, 2 items": bounded_buffer(2, 2, 2, 2), "mutex 5x2": mutex(5, 2),
    "lastzero 10": lastzero(10), "indexer 13": indexer(13), "fsbench 16": fsbench(16),
}


def report(name, model):
    start = time.time()
    print(f"{name:40} {explore(model)}  {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    names = sys.argv[1:]
    for name, model in (MODELS | SLOW).items():
        if name in names or (not names and name in MODELS):
            report(name, model)
