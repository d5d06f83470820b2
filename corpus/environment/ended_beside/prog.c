/* A call that is modelled only while no other thread may run, made after the only other one has ended. It has told
   main to go on before it changed a file: unless main has joined it, the call may as well come before the change. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wordexp.h>

static sem_t begun;

static void write_file(void) {
  int file = open("file", O_WRONLY | O_TRUNC);
  assert(file >= 0 && write(file, "x", 1) == 1);
  close(file);
}

static void *first(void *unused) {
  (void)unused;
#ifndef CHILD
  sem_post(&begun);
#endif
  write_file();
  return 0;
}

#ifdef CHILD
/* The thread that main joins is not the one that writes the file. */
static void *parent(void *unused) {
  (void)unused;
  pthread_t thread;
  pthread_create(&thread, 0, first, 0);
#if CHILD == 2
  pthread_join(thread, 0);
#endif
  sem_post(&begun);
  return 0;
}
#endif

#ifdef WALK
static int entries;

static int visit(const char *path, const struct stat *status, int flag, struct FTW *at) {
  (void)path, (void)status, (void)flag, (void)at;
  entries++;
  return 0;
}
#endif

static void call(void) {
#if defined GLOB
  glob_t found;
  assert(glob("f*", 0, 0, &found) == 0 && found.gl_pathc == 1);
  globfree(&found);
#elif defined WALK
  assert(nftw(".", visit, 4, 0) == 0 && entries == 2);
#elif defined WORDS
  wordexp_t words;
  assert(wordexp("f*", &words, 0) == 0 && words.we_wordc == 1 && words.we_wordv[0][0] == 'f' && words.we_wordv[0][3] == 'e');
  wordfree(&words);
#elif defined RAW_EXIT
  syscall(SYS_exit, 0);
#endif
}

int main(void) {
  sem_init(&begun, 0, 0);
  pthread_t thread;
#ifdef CHILD
  pthread_create(&thread, 0, parent, 0);
#else
  pthread_create(&thread, 0, first, 0);
#endif
  sem_wait(&begun);
#ifdef JOINED
  pthread_join(thread, 0);
#else
  pthread_detach(thread);
#endif
  call();
  return 0;
}
