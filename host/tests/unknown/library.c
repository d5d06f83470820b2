// Functions that no table describes. The library is built without Inspect.
static int kept;
int foreign(void) { return kept; }
int foreign_with(void *p) { return p != 0 && kept; }
int foreign_varied(const char *f, ...) { return f != 0 && kept; }
struct pair { long a, b, c, d; };
struct pair foreign_pair(void) { return (struct pair){0, 0, 0, kept}; }
void *foreign_start(void *a) { return kept ? a : 0; }
void foreign_void(void) {}
void foreign_key(void *p) { (void)p; }
void foreign_signal(int s) { (void)s; }
int foreign_order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int foreign_thrd(void *a) { (void)a; return 0; }
int *foreign_pointer(void) { static int cell; return &cell; }
