"""Counts the traces of programs whose threads connect with a socket that listens.

A thread is a list of operations; each has what it touches, when it can be taken, and its effect on the queue of the
socket and on the data of each way. Two operations are dependent if they touch one object and do not both only read it.
A call through the number of a descriptor reads the entry of that number before anything else; a call that takes a new
number writes the whole table. Traces are counted level by level: an operation is known by its thread, its place there,
and the operations before it on which it depends.

Run `python3 corpus/derive/connections.py`. The names are those of the programs in `corpus/channels/connection`,
`corpus/channels/tcp` and `corpus/channels/udp`. Where a program polls a connection, all sockets are one object.
"""


def use(number):
    return ("use", [(f"entry {number}", "r")])


def call(name, channel):
    return (name, [(channel, "w")])


TAKE = ("take", [("table", "w")])
GIVE_BACK = ("give back", [("table", "r")])  # of a number that no other thread uses: ordered with takes only
LISTENER = "listener"


def connect(client):
    """Announces, changes the socket, looks the name up and puts the connection into the queue."""
    return [use(f"client {client}"), call("change", f"to {client}"), ("look", [("name", "r")]),
            ("connect", [(LISTENER, "w")], client)]


def accept():
    """Announces, takes a number, and takes the first connection, which the next operations use."""
    return [use("listener"), TAKE, ("accept", [(LISTENER, "w")])]


def server(clients):
    answered = [("read", "from"), ("write", "to"), GIVE_BACK, ("close", "from"), ("close", "to")]
    return clients * (accept() + answered)


def client(number):
    n = f"client {number}"
    return connect(number) + [use(n), call("write", f"from {number}"), use(n), call("read", f"to {number}")]


def touches(step, accepted):
    """Of the server's steps on a connection: the way of the client that it has accepted last."""
    return [(f"{step[1]} {accepted}", "w")] if isinstance(step[1], str) else step[1]


def conflicts(one, two):
    def pair(a, b):
        both_read = a[1] == "r" and b[1] == "r"
        entry_of_table = {a[0], b[0]} & {"table"} and {a[0].split()[0], b[0].split()[0]} <= {"table", "entry"}
        return not both_read and (a[0] == b[0] or bool(entry_of_table))
    return any(pair(a, b) for a in one for b in two)


def can_take(name, place, state, room):
    queue, data, shut = state
    if name == "connect":
        return len(queue) < room
    if name == "accept":
        return bool(queue) or shut
    return name != "read" or place in data


def traces(threads, room):
    """All traces: those that end, and those in which some thread waits for ever."""
    start = (tuple([()] * len(threads)), tuple([None] * len(threads)), ((), frozenset(), False))
    level, ended = {(start[0]): (start, ())}, [0, 0]
    while level:
        following = {}
        for (pasts, accepted, state), events in level.values():
            moved = False
            for t, steps in enumerate(threads):
                at = len(pasts[t])
                if at == len(steps):
                    continue
                step, (queue, data, shut) = steps[at], state
                touched = touches(step, accepted[t])
                place = step[2] if len(step) > 2 else touched[0][0]
                if not can_take(step[0], place, state, room):
                    continue
                moved = True
                now = list(accepted)
                if step[0] == "connect":
                    queue += (step[2],)
                elif step[0] == "accept" and queue:
                    now[t], queue = queue[0], queue[1:]
                elif step[0] == "write":
                    data |= {place}
                elif step[0] == "shut down":
                    shut = True
                before = frozenset(e for e, other, objects in events if other == t or conflicts(objects, touched))
                event = hash((t, at, before))
                changed = list(pasts)
                changed[t] += (event,)
                key = tuple(changed)
                if key not in following:
                    state_then = (queue, data, shut)
                    following[key] = ((key, tuple(now), state_then), events + ((event, t, touched),))
            if not moved:
                over = all(len(past) == len(steps) for past, steps in zip(pasts, threads))
                ended[0 if over else 1] += 1
        level = following
    return ended


def report(name, threads, room):
    complete, waits = traces(threads, room)
    print(f"{name}: {complete} complete, {waits} in which a thread waits for ever")


def datagram_server(clients):
    """Takes a message, which the next operations answer; over UDP a message has the place of a connection."""
    return clients * [use("server"), ("accept", [(LISTENER, "w")]), use("server"), ("poll", [("name", "r")]),
                      ("look", "port"), ("write", "to")]


def datagram_client(number):
    """Makes a socket, connects it, sends a message and takes the answer; then the port is free and the socket closed."""
    n, own, port = f"client {number}", f"to {number}", f"port {number}"
    connected = [use(n), call("change", f"name {number}"), call("change", port), call("change", own)]
    sent = [use(n), call("poll", f"name {number}"), call("poll", own), ("look", [("server's port", "r")]),
            ("connect", [(LISTENER, "w")], number)]
    return [TAKE] + connected + sent + [use(n), call("read", own), GIVE_BACK, call("change", port), call("close", own)]


if __name__ == "__main__":
    both = [connect(0), connect(1)]
    report("queue", [accept() * 2] + both, 1)
    report("queue for two", [accept() * 2] + both, 2)
    report("queue, nobody accepts", [[]] + both, 1)
    close = [GIVE_BACK, ("close", "from"), ("close", "to")]
    shut_down = connect(0) + [use("listener"), ("shut down", [(LISTENER, "w")])]
    report("shut down", [accept() + close + accept() + [GIVE_BACK], shut_down], 2)
    at = lambda name, *key: (name, [("all", "w")], *key)
    later = [use("listener"), TAKE, at("accept"), use("new"), at("read", "data"), use("new"), at("read", "end")]
    n = "client"
    begin = [use(n), at("change"), ("look", [("name", "r")]), at("connect", 0)]
    report("later", [later, begin + [use(n), at("poll"), use(n), at("change"), use(n), at("write", "data"), use(n),
                                     at("write", "end")]], 2)
    report("server", [server(2), client(0), client(1)], 3)
    report("datagrams", [datagram_server(2), datagram_client(0), datagram_client(1)], 3)
