/* What a program can say to Inspect. Outside of Inspect the program runs as if the first choice was made and every
   assumption held. */
#ifndef INSPECT_H
#define INSPECT_H

#ifdef __cplusplus
#define INSPECT_BOOL bool
extern "C" {
#else
#define INSPECT_BOOL _Bool
#endif

/* A number from 0 to n - 1; every one of them is explored. For n below 1 there is none, and the execution ends. */
int inspect_choose(int n);

/* Executions in which this is 0 are of no interest: the thread stops here, the others run on. */
void inspect_assume(int condition);

/* Names that verification benchmarks use. */
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
INSPECT_BOOL __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int condition);

#ifdef __cplusplus
}
#endif

#endif
