"""Models of the corpus programs that wait for futex words (corpus/futex), and what the oracle counts for them.

Run `python3 corpus/derive/futexes.py [NAME...]`.
"""

import sys

from models import report
from oracle import program


def main_with(threads, body):
    """Main that creates these threads, runs a body of its own and joins them."""
    def main():
        ids = []
        for thread in threads:
            ids.append((yield "create", thread()))
        yield from body()
        for t in ids:
            yield "join", t
    return main


def event(n, setter=(("W", "e", 1), ("wakeall", "e"))):
    def waiter():
        while (yield "R", "e") == 0:
            yield "fwait", "e", 0

    def body():
        for operation in setter:
            yield operation
    return main_with([waiter] * n, body)


def event_without_loop():
    def waiter():
        if (yield "R", "e") == 0:
            yield "fwait", "e", 0
        yield "R", "e"

    def body():
        yield "W", "e", 1
        yield "wakeall", "e"
    return main_with([waiter], body)


def lock_1():
    while (before := (yield "add", "m", 1)) != 0:
        yield "fwait", "m", before + 1


def unlock_1():
    yield "W", "m", 0
    yield "wake", "m"


def lock_2(taken):
    seen = yield "cas", "m", 0, 1
    while seen != 0:
        if seen == 2 or (yield "cas", "m", 1, 2) != 0:
            yield "fwait", "m", 2
        seen = yield "cas", "m", 0, taken


def lock_3(taken):
    seen = yield "cas", "m", 0, 1
    if seen == 0:
        return
    if seen != 2:
        seen = yield "xchg", "m", 2
    while seen != 0:
        yield "fwait", "m", 2
        seen = yield "xchg", "m", taken


def unlock_3(wakes=True):
    if (yield "add", "m", -1) != 1:
        yield "W", "m", 0
        if wakes:
            yield "wake", "m"


def mutex(n, lock, unlock):
    def thread():
        yield from lock()
        yield from unlock()
    return program(*[thread] * n)


def semaphore(takers, lazy):
    def taker():
        while True:
            seen = yield "R", "count"
            if seen > 0:
                before = yield "cas", "count", seen, seen - 1
                if before == seen:
                    return
                seen = before
            if seen == 0:
                yield "fwait", "count", 0

    def body():
        for _ in range(takers):
            before = yield "add", "count", 1
            if not lazy or before == 0:
                yield "wake", "count"
    return main_with([taker] * takers, body)


def event_count(late):
    def consumer():
        while True:
            if late:
                if (yield "R", "ready"):
                    return
                key = yield "R", "epoch"
            else:
                key = yield "R", "epoch"
                if (yield "R", "ready"):
                    return
            yield "fwait", "epoch", key

    def body():
        yield "W", "ready", 1
        yield "add", "epoch", 1
        yield "wakeall", "epoch"
    return main_with([consumer], body)


def condition(late):
    """What is written under the mutex belongs to the run."""
    def main():
        state = {"ready": False}

        def consumer():
            yield "lock", "mutex"
            while not state["ready"]:
                if late:
                    yield "unlock", "mutex"
                    number = yield "R", "signals"
                else:
                    number = yield "R", "signals"
                    yield "unlock", "mutex"
                yield "fwait", "signals", number
                yield "lock", "mutex"
            yield "unlock", "mutex"
        t = yield "create", consumer()
        yield "lock", "mutex"
        state["ready"] = True
        yield "unlock", "mutex"
        yield "add", "signals", 1
        yield "wake", "signals"
        yield "join", t
    return main


def ticket_lock(n, wake):
    def thread():
        mine = yield "add", "next", 1
        while (called := (yield "R", "serving")) != mine:
            yield "fwait", "serving", called
        yield "add", "serving", 1
        yield wake, "serving"
    return program(*[thread] * n)


def barrier(n, late):
    def main():
        def thread():
            if late:
                last = (yield "add", "missing", -1) == 1
                now = yield "R", "round"
            else:
                now = yield "R", "round"
                last = (yield "add", "missing", -1) == 1
            if last:
                yield "W", "missing", n
                yield "add", "round", 1
                yield "wakeall", "round"
                return
            while (yield "R", "round") == now:
                yield "fwait", "round", now
        return program(*[thread] * n)

    def started():
        # The word begins with n; nobody else is there yet.
        yield "W", "missing", n
        yield from main()()
    return started


def timeout(trusts):
    def waiter():
        if (yield "timedfwait", "word", 0) != "expired" or trusts:
            yield "R", "data"

    def body():
        yield "W", "data", 1
        yield "W", "word", 1
        yield "wake", "word"
    return main_with([waiter], body)


def wait_node():
    """The waiter is main. The loop that waits for the end of its node is parked after each look."""
    def main():
        def waker():
            yield "W", "state", 1
            if not (yield "R", "state") & 2:
                yield "wake", "state"
            yield "or", "state", 4
        t = yield "create", waker()
        while (yield "R", "state") == 0:
            yield "fwait", "state", 0
        yield "or", "state", 2
        while not (yield "R", "state") & 4:
            yield "spin", ["state"]
        yield "join", t
    return main


def wake_count(n, count):
    def waiter():
        yield "fwait", "word", 0

    def body():
        yield ("wake", "word") if count == 1 else ("wakesome", "word", count)
        yield "W", "word", 1
        yield "wakeall", "word"
    return main_with([waiter] * n, body)


def wake_both():
    def waiter():
        yield "fwait", "word", 0
        if (yield "add", "done", 1) == 0:
            yield "fwait", "word", 0
        else:
            yield "W", "word", 1
            yield "wake", "word"

    def body():
        if (yield "wakesome", "word", 2) < 2:
            yield "W", "word", 1
            yield "wakeall", "word"
    return main_with([waiter] * 2, body)


def bitset(selects):
    def waiter(bits):
        def body():
            yield "fwaitbits", "word", 0, bits
        return body

    def body():
        yield "W", "word", 1
        for bits in selects:
            yield "wakebits", "word", 64, bits
    return main_with([waiter(1), waiter(2)], body)


def bitset_one():
    def waiter(bits):
        def body():
            yield "fwaitbits", "word", 0, bits
        return body

    def body():
        yield "wakebits", "word", 1, 6
        yield "W", "word", 1
        yield "wakeall", "word"
    return main_with([waiter(1), waiter(2), waiter(4)], body)


def writer_first(*threads):
    """Threads that read, read twice, write, or try to read."""
    def unlock(side):
        yield "pw", "lock", "unlock", side

    def reader():
        yield "pw", "lock", "lock", "r"
        yield from unlock("r")

    def twice():
        yield "pw", "lock", "lock", "r"
        yield from reader()
        yield from unlock("r")

    def writer():
        if not (yield "pw", "lock", "try", "w"):
            yield "pw", "lock", "announce", "w"
            yield "pw", "lock", "lock", "w"
        yield from unlock("w")

    def tries():
        if (yield "pw", "lock", "try", "r"):
            yield from unlock("r")

    kinds = {"r": reader, "rr": twice, "w": writer, "t": tries}
    return main_with([kinds[kind] for kind in threads], lambda: iter(()))


def wake_and_unlock(blind):
    def locker():
        while (yield "xchg", "lock", 2) != 0:
            yield "fwait", "lock", 2

    def main():
        # The word begins with one; nobody else is there yet.
        yield "W", "lock", 1
        t = yield "create", locker()
        before = yield "xchg", "lock", 0
        yield "wake", "signals"
        if before > (2 if blind else 1):
            yield "wake", "lock"
        yield "join", t
    return main


def of_one_queue(main):
    """A model in which waiters are moved from word to word."""
    main.one_queue = True
    return main


def moving_condition(marks):
    """A waker that holds the mutex moves the waiter to the word of the mutex, where its unlock wakes the waiter, if the
    mutex was marked as one for which somebody waits."""
    def waiter():
        yield "fwait", "signals", 0
        while (yield "xchg", "m", 2) != 0:
            yield "fwait", "m", 2
        yield from unlock_3()

    def body():
        yield "xchg", "m", 1
        yield "W", "signals", 1
        if (yield "requeue", "signals", "m", 0, 1, 1) and marks:
            yield "W", "m", 2
        yield from unlock_3()
    return of_one_queue(main_with([waiter], body))


def moved_and_expired(timed, woken="other"):
    """A waiter that was moved is woken at the word to which it was moved, or its wait expires there."""
    def waiter():
        yield ("timedfwait" if timed else "fwait"), "one", 0

    def body():
        if (yield "requeue", "one", "other", 0, 1, None) == 0:
            yield "W", "one", 1
            yield "wake", "one"
        else:
            yield "wake", woken
    return of_one_queue(main_with([waiter], body))


def which_are_moved(moves):
    """Of two waiters one is woken, or moved; each leaves a number."""
    def waiter(number):
        def body():
            if (yield "fwait", "one", 0) == "woken":
                yield "add", "order", number
        return body

    def body():
        yield "requeue", "one", "other", 0, moves, None
        yield "wakeall", "other"
        yield "W", "one", 1
        yield "wakeall", "one"
    return of_one_queue(main_with([waiter(1), waiter(2)], body))


def owned_section(n, forgets=False):
    """A section under a lock with priority inheritance, with fast paths. Each thread looks at the word in the section."""
    def thread(number):
        def body():
            if (yield "cas", "word", 0, number) != 0:
                if (yield "pilock", "word") == "others":
                    yield "rest",
            yield "R", "word"
            if forgets:
                yield "W", "word", 0
            elif (yield "cas", "word", number, 0) != number:
                yield "piunlock", "word"
        return body
    return program(*[thread(number + 2) for number in range(n)])


def timed_owned():
    """Main owns the lock while the other thread waits for some time."""
    def waiter():
        found = yield "pilock", "word"
        if found == "free" or (found == "others" and (yield "leaveword", "word")):
            yield "piunlock", "word"

    def main():
        yield "pilock", "word"
        t = yield "create", waiter()
        yield "piunlock", "word"
        yield "join", t
    return main


def handed_over():
    """Main owns the lock and hands it over to either of two threads that wait; each leaves a number."""
    def waiter(number):
        def body():
            if (yield "pilock", "word") == "others":
                yield "rest",
            yield "R", "order"
            yield "W", "order", number
            yield "piunlock", "word"
        return body

    def main():
        yield "pilock", "word"
        ids = []
        for number in (1, 2):
            ids.append((yield "create", waiter(number)()))
        yield "piunlock", "word"
        for t in ids:
            yield "join", t
    return main


def either_of_two(wakers, timed=False, writes=True):
    """Main waits for two words, each of which a thread writes and wakes; it looks at the word of which it is told."""
    def waker(word):
        def body():
            if writes:
                yield "W", word, 1
            yield "wake", word
        return body

    def body():
        words = ["one", "other"]
        joined = []
        for word in words:
            if not (yield "joinword", word, 0):
                break
            joined.append(word)
        if len(joined) == 2 and not timed:
            yield "rest",
        woken = []
        for word in joined:
            if (yield "leaveword", word):
                woken.append(word)
        if len(woken) > 1:
            yield "choose", len(woken)
        if woken:
            yield "R", woken[0]
    # Which of two words is looked at does not change the count: their values do not change any more.
    return of_one_queue(main_with([waker(word) for word in ("one", "other")[:wakers]], body))


def several_are_woken(wakes, moves, expected=None):
    """A requeue wakes some of three waiters and moves others."""
    def waiter(number):
        def body():
            if (yield "fwait", "one", 0) == "woken":
                yield "add", "woken", number
        return body

    def body():
        yield "requeue", "one", "other", wakes, moves, expected
        yield "wakeall", "other"
        yield "W", "one", 1
        yield "wakeall", "one"
    return of_one_queue(main_with([waiter(1), waiter(2), waiter(4)], body))


MODELS = {
    "owned section 1": owned_section(1), "owned section 2": owned_section(2),
    "owned section 2, forgets": owned_section(2, True), "owned, timed": timed_owned(), "handed over": handed_over(),
    "either of two, 1": either_of_two(1), "either of two, 2": either_of_two(2),
    "either of two, timed": either_of_two(2, True), "either of two, no change": either_of_two(1, False, False),
    "two of three are woken": several_are_woken(2, 1), "two of three are woken, compared": several_are_woken(2, 1, 0),
    "moving condition": moving_condition(True), "moving condition, forgets": moving_condition(False),
    "moved": moved_and_expired(False), "moved, left behind": moved_and_expired(False, "one"),
    "moved, timed": moved_and_expired(True),
    "one is moved": which_are_moved(1), "all are moved": which_are_moved(64),
    "event 1": event(1), "event 2": event(2), "event 3": event(3), "event, no wake": event(1, (("W", "e", 1),)),
    "event, early wake": event(1, (("wakeall", "e"), ("W", "e", 1))),
    "event, wake one": event(2, (("W", "e", 1), ("wake", "e"))), "event, no loop": event_without_loop(),
    "mutex 1": mutex(2, lock_1, unlock_1),
    "mutex 2": mutex(2, lambda: lock_2(2), unlock_3), "mutex 2, forgets": mutex(2, lambda: lock_2(2), lambda: unlock_3(False)),
    "mutex 3": mutex(2, lambda: lock_3(2), unlock_3), "mutex 3, forgets": mutex(2, lambda: lock_3(2), lambda: unlock_3(False)),
    "semaphore 1": semaphore(1, False), "semaphore 1, lazy": semaphore(1, True), "semaphore 2": semaphore(2, False),
    "semaphore 2, lazy": semaphore(2, True),
    "event count": event_count(False), "event count, late": event_count(True),
    "condition": condition(False), "condition, late": condition(True),
    "ticket lock 2": ticket_lock(2, "wakeall"), "ticket lock 2, one": ticket_lock(2, "wake"),
    "timeout": timeout(False), "timeout, trusts": timeout(True), "wait node": wait_node(),
    "wake and unlock": wake_and_unlock(False), "wake and unlock, blind": wake_and_unlock(True),
    "wake 1 of 2": wake_count(2, 1), "wake 2 of 2": wake_count(2, 2), "wake 3 of 2": wake_count(2, 3),
    "wake 2 of 3": wake_count(3, 2), "wake both": wake_both(),
    "bitset": bitset((1, 2)), "bitset, other": bitset((1, 4)), "bitset, one": bitset_one(),
    "writer first rw": writer_first("r", "w"), "writer first rrw": writer_first("r", "r", "w"),
    "writer first twice": writer_first("rr", "w"), "writer first try": writer_first("t", "r", "w"),
    "writer first ww": writer_first("r", "w", "w"),
    "barrier 2": barrier(2, False), "barrier 2, late": barrier(2, True),
}

SLOW = {
    "mutex 2, 3 threads": mutex(3, lambda: lock_2(2), unlock_3),
    "mutex 2, 3 threads, taken 1": mutex(3, lambda: lock_2(1), unlock_3),
    "mutex 3, 3 threads": mutex(3, lambda: lock_3(2), unlock_3),
    "mutex 3, 3 threads, taken 1": mutex(3, lambda: lock_3(1), unlock_3),
    "ticket lock 3": ticket_lock(3, "wakeall"), "ticket lock 3, one": ticket_lock(3, "wake"),
    "barrier 3": barrier(3, False),
}

if __name__ == "__main__":
    names = sys.argv[1:]
    for name, model in (MODELS | SLOW).items():
        if name in names or (not names and name in MODELS):
            report(name, model)
