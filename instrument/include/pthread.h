/* Stands before the system's pthread.h: static initialisers leave a mark by which Inspect distinguishes an initialised object
   from zeroed memory. The system's own functions do not look at the marked bits (wire/src/hooks.rs says which). */
#pragma GCC system_header
#include_next <pthread.h>

#if defined __x86_64__ && defined __GLIBC__
#ifndef INSPECT_PTHREAD_MARKS
#define INSPECT_PTHREAD_MARKS 1
#ifdef __PTHREAD_MUTEX_INITIALIZER
/* The fields are lock, count, owner, users, kind, spins, elision, list; PTHREAD_MUTEX_INITIALIZER and its recursive,
   error-checking and adaptive variants are made from this one. */
#undef __PTHREAD_MUTEX_INITIALIZER
#define __PTHREAD_MUTEX_INITIALIZER(inspect_kind) 0, 0, 0, 0, inspect_kind, 0, 0x4e49, { 0, 0 }
#endif
#undef PTHREAD_COND_INITIALIZER
#define PTHREAD_COND_INITIALIZER { { {0}, {0}, {0, 0}, {0, 0}, 0, 4, {0, 0} } }
#ifdef __PTHREAD_RWLOCK_ELISION_EXTRA
/* The initialisers of read-write locks have this in their middle: a field, and bytes that nothing uses. */
#undef __PTHREAD_RWLOCK_ELISION_EXTRA
#define __PTHREAD_RWLOCK_ELISION_EXTRA 0, { 0, 0, 0, 0x52, 0x57, 0x4c, 0x49 }
#endif
#endif
#endif
