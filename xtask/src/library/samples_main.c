// The end of all programs for samples: behind the calls and the table of samples.

int main(int count, char **arguments) {
    sample = &samples[atoi(arguments[1])];
    input = fopen(arguments[0], "r");
    output = fopen("output.txt", "w");
    folder = opendir("/");
    locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    for (int argument = 0; argument < 8; argument++)
        fill(argument, rooms[argument], ROOM);
    locked = arguments[2][0] == 'l';
    if (arguments[2][0] == 'm')
        _exit(goes_further());
    if (arguments[2][0] == 't') {
        static char others[8 * ROOM] __attribute__((aligned(16)));
        pthread_t other;
        pthread_create(&other, 0, call_alone, others);
        call_alone(rooms);
        pthread_join(other, 0);
        _exit(0);
    }
    if (arguments[2][0] == 'c') {
        sample->close();
        sample->call();
        _exit(0);
    }
    if (arguments[2][0] == 'f')
        with_block(ROOM, 1);
    else if (arguments[2][0] == 's')
        with_block(sample->size - 1, 0);
    else
        with_another_thread();
    return 0;
}
