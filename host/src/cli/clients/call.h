/* Calls the main of a client, which comes before this as MAIN. */

#define CALLED_BEGUN(name) name##_begun
#define BEGUN_OF(name) CALLED_BEGUN(name)

#ifdef __cplusplus
static void inspect_call(int (*function)(), char **arguments) {
    (void)arguments;
    function();
}
static void inspect_call(int (*function)(int, char **), char **arguments) {
    function(1, arguments);
}
extern "C" void BEGUN_OF(MAIN)(char **arguments) {
    inspect_call(MAIN, arguments);
}
#else
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
/* One that takes no arguments ignores them. */
void BEGUN_OF(MAIN)(char **arguments) {
    ((int (*)())MAIN)(1, arguments);
}
#endif
