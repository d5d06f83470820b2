"""Counts the traces of the bounded buffer by dynamic programming.

Every operation of the program happens under one mutex, signals included, so a trace is the sequence of critical sections
together with the waiters chosen by signals, and traces can be counted as paths. Producers are interchangeable for the
count, and so are consumers, so a state is the sorted list of what each thread is about to do, and the count.

`first=True` wakes always the same waiter instead of any one of them. With that the dissertation's bbuf (table 6.1: four
producers, four consumers, 1,938,816 runs) is a buffer with 2 places.

Run `python3 corpus/derive/buffer.py`.
"""

from functools import cache


def traces(producers, consumers, size, items=1, first=False):
    @cache
    def paths(threads, count):
        total, over = 0, True
        for i, (role, left, phase) in enumerate(threads):
            if phase == "waiting" or left == 0:
                continue
            over = False
            rest = list(threads)
            if (role == "producer" and count == size) or (role == "consumer" and count == 0):
                rest[i] = (role, left, "waiting")
                total += paths(tuple(sorted(rest)), count)
                continue
            rest[i] = (role, left - 1, "locks")
            after = count + 1 if role == "producer" else count - 1
            waiters = [j for j, t in enumerate(rest) if t[0] != role and t[2] == "waiting"]
            if not waiters:
                total += paths(tuple(sorted(rest)), after)
            for j in waiters[:1] if first else waiters:
                woken = list(rest)
                woken[j] = (rest[j][0], rest[j][1], "locks")
                total += paths(tuple(sorted(woken)), after)
        return 1 if over else total

    threads = [("producer", items, "locks")] * producers + [("consumer", items, "locks")] * consumers
    return paths(tuple(sorted(threads)), 0)


if __name__ == "__main__":
    for p, c, s, k in [(1, 1, 1, 1), (1, 1, 1, 2), (2, 2, 1, 1), (2, 2, 2, 1), (2, 2, 1, 2), (2, 2, 2, 2),
                       (3, 3, 1, 1), (3, 3, 2, 1), (4, 4, 1, 1), (4, 4, 2, 1), (4, 4, 4, 1)]:
        print(f"{p}+{c} threads, {s} places, {k} items: {traces(p, c, s, k)}, first waiter: "
              f"{traces(p, c, s, k, True)}")
