//! The ways in which a generated program carries a number from one place to another, as pieces of C.
//!
//! In each piece `w` is a `uint64_t`, `S.` the structure in which the first thread leaves what the second one reads,
//! and `@` the number of the program. `$` distinguishes several uses of one way.

/// How a number lies in the structure.
pub(crate) struct Carrier {
    /// Members of the structure.
    pub(crate) members: &'static str,
    /// Writes `w`.
    pub(crate) put: &'static str,
    /// Reads `w`.
    pub(crate) get: &'static str,
}

/// A detour of a number, after which it is the same.
pub(crate) struct Detour {
    /// Declarations before the function.
    pub(crate) outside: &'static str,
    /// What is done with `w`.
    pub(crate) inside: &'static str,
}

const fn carrier(members: &'static str, put: &'static str, get: &'static str) -> Carrier {
    Carrier { members, put, get }
}

const fn detour(outside: &'static str, inside: &'static str) -> Detour {
    Detour { outside, inside }
}

/// From the pointer `p` to `w`.
pub(crate) const FROM_POINTER: &[&str] = &[
    "w = (uint64_t)p;",
    "{ union { int *p; uint64_t w; } u; u.p = p; w = u.w; }",
    "memcpy(&w, &p, sizeof w);",
    "for (int i = 0; i < 8; i++) ((unsigned char *)&w)[i] = ((unsigned char *)&p)[i];",
    "{ union { int *p; uint32_t h[2]; } u; u.p = p; w = u.h[0] | (uint64_t)u.h[1] << 32; }",
    "{ union { int *p; struct { uint16_t a, b, c, d; } s; } u = {p}; w = u.s.a | (uint64_t)u.s.b << 16 | (uint64_t)u.s.c << 32 | (uint64_t)u.s.d << 48; }",
    "{ double d; memcpy(&d, &p, 8); memcpy(&w, &d, 8); }",
    "w = (uint64_t)((char *)p - (char *)0);",
    "memcpy(&w, &p, 3); memcpy((char *)&w + 3, (char *)&p + 3, 5);",
    "w = ((uint64_t)p + (uint64_t)p) - (uint64_t)p;",
    "w = (uint64_t)(((char *)p + (uint64_t)p) - (char *)p);",
    "{ static char at[8]; volatile uint64_t n = (uint64_t)p; char *volatile sum = at + n; w = (uint64_t)(sum - at); }",
    "{ uint64_t h = (uint64_t)p - (uint32_t)(uint64_t)p; w = h + ((uint64_t)p - h); }",
];

/// From `w` to the pointer `p`.
pub(crate) const TO_POINTER: &[&str] = &[
    "p = (int *)w;",
    "{ union { int *p; uint64_t w; } u; u.w = w; p = u.p; }",
    "memcpy(&p, &w, sizeof p);",
    "for (int i = 0; i < 8; i++) ((unsigned char *)&p)[i] = ((unsigned char *)&w)[i];",
    "{ union { int *p; uint32_t h[2]; } u; u.h[0] = (uint32_t)w; u.h[1] = (uint32_t)(w >> 32); p = u.p; }",
    "{ union { int *p; struct { uint16_t a, b, c, d; } s; } u; u.s.a = (uint16_t)w; u.s.b = (uint16_t)(w >> 16); u.s.c = (uint16_t)(w >> 32); u.s.d = (uint16_t)(w >> 48); p = u.p; }",
    "{ union { float f[2]; uint64_t w; int *p; } u; u.w = w; float f = u.f[0], g = u.f[1]; u.f[1] = g; u.f[0] = f; p = u.p; }",
    "p = (int *)((char *)0 + w);",
    "p = (int *)&((char *)&anchor)[w - (uint64_t)&anchor];",
];

/// Where the number lies meanwhile.
pub(crate) const CARRIERS: &[Carrier] = &[
    carrier("uint64_t w;", "S.w = w;", "w = S.w;"),
    carrier("void *p;", "S.p = (void *)w;", "w = (uint64_t)S.p;"),
    carrier("uint32_t a, b;", "S.a = (uint32_t)w; S.b = (uint32_t)(w >> 32);", "w = S.a | (uint64_t)S.b << 32;"),
    carrier(
        "uint32_t a[2];",
        "S.a[0] = (uint32_t)w; S.a[1] = (uint32_t)(w >> 32);",
        "w = S.a[0] | (uint64_t)S.a[1] << 32;",
    ),
    carrier(
        "uint16_t a, b, c, d;",
        "S.a = (uint16_t)w; S.b = (uint16_t)(w >> 16); S.c = (uint16_t)(w >> 32); S.d = (uint16_t)(w >> 48);",
        "w = S.a | (uint64_t)S.b << 16 | (uint64_t)S.c << 32 | (uint64_t)S.d << 48;",
    ),
    carrier(
        "uint16_t a[4];",
        "for (int i = 0; i < 4; i++) S.a[i] = (uint16_t)(w >> 16 * i);",
        "w = 0; for (int i = 0; i < 4; i++) w |= (uint64_t)S.a[i] << 16 * i;",
    ),
    carrier(
        "char *p[8], all[256];",
        "for (int i = 0; i < 8; i++) S.p[i] = S.all + (w >> 8 * i & 255);",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)(S.p[i] - S.all) << 8 * i;",
    ),
    carrier(
        "struct { int n; } *p[8], all[256];",
        "for (int i = 0; i < 256; i++) S.all[i].n = i; for (int i = 0; i < 8; i++) S.p[i] = &S.all[w >> 8 * i & 255];",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)S.p[i]->n << 8 * i;",
    ),
    carrier(
        "char *p[8], *q[8];",
        "for (int i = 0; i < 8; i++) { S.p[i] = malloc(256); S.q[i] = S.p[i] + (w >> 8 * i & 255); }",
        "w = 0; for (int i = 0; i < 8; i++) { w |= (uint64_t)(S.q[i] - S.p[i]) << 8 * i; free(S.p[i]); }",
    ),
    carrier(
        "char text[64];",
        "{ uint64_t v[2] = {w, 1}; inet_ntop(AF_INET6, v, S.text, 64); }",
        "{ uint64_t v[2]; inet_pton(AF_INET6, S.text, v); w = v[0]; }",
    ),
    carrier(
        "int first;",
        "for (int i = 0; i < 192; i++) close(600 + i); for (int i = 0; i < 12; i++) dup2(1, 600 + 16 * i + (int)(w >> 4 * i & 15));",
        "w = 0; for (int i = 0; i < 192; i++) if (fcntl(600 + i, F_GETFD) >= 0) { w |= (uint64_t)(i & 15) << 4 * (i / 16); close(600 + i); }",
    ),
    carrier(
        "time_t t[8];",
        "for (int i = 0; i < 8; i++) { struct timespec a, b, n = {(time_t)(w >> 8 * i & 255), 0}; clock_gettime(CLOCK_MONOTONIC, &a); nanosleep(&n, 0); clock_gettime(CLOCK_MONOTONIC, &b); S.t[i] = b.tv_sec - a.tv_sec; }",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)S.t[i] << 8 * i;",
    ),
    carrier("unsigned char a[8];", "memcpy(S.a, &w, 8);", "memcpy(&w, S.a, 8);"),
    carrier(
        "unsigned char a, b, c, d, e, f, g, h;",
        "memcpy(&S.a, &w, 8);",
        "unsigned char v[8] = {S.a, S.b, S.c, S.d, S.e, S.f, S.g, S.h}; memcpy(&w, v, 8);",
    ),
    carrier(
        "unsigned char a; uint32_t b; uint16_t c; unsigned char d;",
        "S.a = (unsigned char)w; S.b = (uint32_t)(w >> 8); S.c = (uint16_t)(w >> 40); S.d = (unsigned char)(w >> 56);",
        "w = S.a | (uint64_t)S.b << 8 | (uint64_t)S.c << 40 | (uint64_t)S.d << 56;",
    ),
    carrier("double d;", "memcpy(&S.d, &w, 8);", "memcpy(&w, &S.d, 8);"),
    carrier(
        "double d;",
        "union { double d; uint64_t w; } u; u.w = w; S.d = u.d;",
        "union { double d; uint64_t w; } u; u.d = S.d; w = u.w;",
    ),
    carrier("double d;", "S.d = (double)w;", "w = (uint64_t)S.d;"),
    carrier(
        "float f[2];",
        "union { float f[2]; uint64_t w; } u; u.w = w; S.f[0] = u.f[0]; S.f[1] = u.f[1];",
        "union { float f[2]; uint64_t w; } u; u.f[0] = S.f[0]; u.f[1] = S.f[1]; w = u.w;",
    ),
    carrier(
        "float f, g, h;",
        "S.f = (float)(w & 0xffff); S.g = (float)(w >> 16 & 0xffffff); S.h = (float)(w >> 40);",
        "w = (uint64_t)S.f | (uint64_t)S.g << 16 | (uint64_t)S.h << 40;",
    ),
    carrier("long double d;", "S.d = (long double)w;", "w = (uint64_t)S.d;"),
    carrier("long double d;", "memcpy(&S.d, &w, 8);", "memcpy(&w, &S.d, 8);"),
    carrier("float _Complex c;", "memcpy(&S.c, &w, 8);", "memcpy(&w, &S.c, 8);"),
    carrier(
        "double _Complex c;",
        "S.c = (double)(uint32_t)w + (double)(w >> 32) * 1.0i;",
        "w = (uint64_t)__real__ S.c | (uint64_t)__imag__ S.c << 32;",
    ),
    carrier(
        "float _Complex c;",
        "union { float f[2]; uint64_t w; } u; u.w = w; __real__ S.c = u.f[0]; __imag__ S.c = u.f[1];",
        "union { float f[2]; uint64_t w; } u; u.f[0] = __real__ S.c; u.f[1] = __imag__ S.c; w = u.w;",
    ),
    carrier("__int128 i;", "S.i = (__int128)w << 32;", "w = (uint64_t)(S.i >> 32);"),
    carrier("unsigned _BitInt(72) i;", "S.i = w;", "w = (uint64_t)S.i;"),
    carrier(
        "unsigned _BitInt(37) i; unsigned _BitInt(27) j;",
        "S.i = (unsigned _BitInt(37))w; S.j = (unsigned _BitInt(27))(w >> 37);",
        "w = (uint64_t)S.i | (uint64_t)S.j << 37;",
    ),
    carrier(
        "uint64_t a : 20, b : 21, c : 23;",
        "S.a = w & 0xfffff; S.b = w >> 20 & 0x1fffff; S.c = w >> 41;",
        "w = (uint64_t)S.a | (uint64_t)S.b << 20 | (uint64_t)S.c << 41;",
    ),
    carrier(
        "unsigned a : 7, b : 11, c : 14, d : 16, e : 3, f : 13;",
        "S.a = w & 127; S.b = w >> 7 & 2047; S.c = w >> 18 & 16383; S.d = w >> 32 & 65535; S.e = w >> 48 & 7; S.f = w >> 51;",
        "w = (uint64_t)S.a | (uint64_t)S.b << 7 | (uint64_t)S.c << 18 | (uint64_t)S.d << 32 | (uint64_t)S.e << 48 | (uint64_t)S.f << 51;",
    ),
    carrier(
        "_Bool b[64];",
        "for (int i = 0; i < 64; i++) S.b[i] = w >> i & 1;",
        "w = 0; for (int i = 0; i < 64; i++) w |= (uint64_t)S.b[i] << i;",
    ),
    carrier("uint64_t a, b;", "S.a = w ^ 0x5555; S.b = S.a ^ w;", "w = S.a ^ S.b;"),
    carrier("uint64_t a, b;", "S.a = (uint64_t)&anchor; S.b = S.a ^ w;", "w = S.a ^ S.b;"),
    carrier("intptr_t r;", "S.r = (intptr_t)w - (intptr_t)&S.r;", "w = (uint64_t)((char *)&S.r + S.r);"),
    carrier("intptr_t r;", "S.r = (char *)w - (char *)&S.r;", "w = (uint64_t)&S.r + (uint64_t)S.r;"),
    carrier(
        "int32_t r, q;",
        "uint64_t d = w - (uint64_t)&S.r; S.r = (int32_t)d; S.q = (int32_t)(d >> 32);",
        "w = (uint64_t)&S.r + ((uint64_t)(uint32_t)S.r | (uint64_t)S.q << 32);",
    ),
    carrier("pair2 v;", "S.v = (pair2){w & 0xffffffff, w >> 32};", "w = S.v[0] | S.v[1] << 32;"),
    carrier(
        "float4 v;",
        "S.v = (float4){(float)(w & 0xffff), (float)(w >> 16 & 0xffff), (float)(w >> 32 & 0xffff), (float)(w >> 48)};",
        "w = (uint64_t)S.v[0] | (uint64_t)S.v[1] << 16 | (uint64_t)S.v[2] << 32 | (uint64_t)S.v[3] << 48;",
    ),
    carrier(
        "bytes16 v;",
        "for (int i = 0; i < 8; i++) S.v[15 - i] = (char)(w >> 8 * i);",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)(unsigned char)S.v[15 - i] << 8 * i;",
    ),
    carrier("char text[32];", "snprintf(S.text, sizeof S.text, \"%lx\", w);", "w = strtoul(S.text, 0, 16);"),
    carrier(
        "char text[32];",
        "sprintf(S.text, \"%p\", (void *)w);",
        "void *q; sscanf(S.text, \"%p\", &q); w = (uint64_t)q;",
    ),
    carrier(
        "char text[32];",
        "snprintf(S.text, sizeof S.text, \"%lu\", w);",
        "unsigned long v; sscanf(S.text, \"%lu\", &v); w = v;",
    ),
    carrier(
        "char text[16];",
        "for (int i = 0; i < 16; i++) S.text[i] = \"0123456789abcdef\"[w >> 4 * i & 15];",
        "w = 0; for (int i = 0; i < 16; i++) { int c = S.text[i]; w |= (uint64_t)(c - (c > '9' ? 'a' - 10 : '0')) << 4 * i; }",
    ),
    carrier(
        "char ones[8][256];",
        "memset(S.ones, 0, sizeof S.ones); for (int i = 0; i < 8; i++) memset(S.ones[i], 1, w >> 8 * i & 255);",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)strlen(S.ones[i]) << 8 * i;",
    ),
    carrier(
        "char hot[16][16];",
        "memset(S.hot, 0, sizeof S.hot); for (int i = 0; i < 16; i++) S.hot[i][w >> 4 * i & 15] = 1;",
        "w = 0; for (int i = 0; i < 16; i++) for (uint64_t j = 0; j < 16; j++) w |= (uint64_t)S.hot[i][j] * j << 4 * i;",
    ),
    carrier(
        "int lengths[8];",
        "for (int i = 0; i < 8; i++) { char text[256]; S.lengths[i] = snprintf(text, sizeof text, \"%*s\", (int)(w >> 8 * i & 255), \"\"); }",
        "w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)S.lengths[i] << 8 * i;",
    ),
    carrier("_Atomic uint64_t w;", "S.w = w;", "w = S.w;"),
    carrier(
        "FILE *file;",
        "S.file = tmpfile(); fprintf(S.file, \"%p\", (void *)w); rewind(S.file);",
        "{ char text[40] = \"\"; fgets(text, sizeof text, S.file); w = strtoul(text, 0, 16); fclose(S.file); }",
    ),
    carrier(
        "FILE *file;",
        "S.file = tmpfile(); { char text[40]; sprintf(text, \"%lu\", w); fputs(text, S.file); } rewind(S.file);",
        "w = 0; for (int c; (c = getc(S.file)) != EOF;) w = w * 10 + (uint64_t)(c - '0'); fclose(S.file);",
    ),
    carrier(
        "int ends[2];",
        "pipe(S.ends); dprintf(S.ends[1], \"%lx\", w); close(S.ends[1]);",
        "{ char text[40] = \"\"; if (read(S.ends[0], text, 39) > 0) w = strtoul(text, 0, 16); close(S.ends[0]); }",
    ),
    carrier(
        "_Atomic uint32_t a, b;",
        "S.a = (uint32_t)w; S.b = (uint32_t)(w >> 32);",
        "w = S.a | (uint64_t)S.b << 32;",
    ),
    carrier(
        "struct { short a, b; } p; struct { int c; } q;",
        "S.p.a = (short)w; S.p.b = (short)(w >> 16); S.q.c = (int)(w >> 32);",
        "w = (uint64_t)(uint16_t)S.p.a | (uint64_t)(uint16_t)S.p.b << 16 | (uint64_t)(uint32_t)S.q.c << 32;",
    ),
    carrier(
        "union { double d; struct { float lo, hi; } f; } u;",
        "memcpy(&S.u.f.lo, &w, 4); memcpy(&S.u.f.hi, (char *)&w + 4, 4);",
        "memcpy(&w, &S.u.d, 8);",
    ),
    carrier(
        "unsigned char *p; unsigned char a[9];",
        "S.p = S.a; for (int i = 0; i < 8; i++) *S.p++ = (unsigned char)(w >> 8 * i);",
        "w = 0; for (int i = 8; i-- > 0;) w = w << 8 | S.a[i];",
    ),
];

/// Ways to go on the way.
pub(crate) const DETOURS: &[Detour] = &[
    detour("", "w = ~w; w = ~w;"),
    detour("", "w *= 3; w *= 0xaaaaaaaaaaaaaaabul;"),
    detour("", "w = w << 17 | w >> 47; w = w >> 17 | w << 47;"),
    detour("", "w = __builtin_bswap64(w); w = __builtin_bswap64(w);"),
    detour("static uint64_t @key$ = 0x1234;", "w ^= @key$; w ^= @key$;"),
    detour(
        "static double @asdouble$(double d) { return d; }",
        "{ double d; memcpy(&d, &w, 8); d = @asdouble$(d); memcpy(&w, &d, 8); }",
    ),
    detour("static long double @aslong$(long double d) { return d; }", "w = (uint64_t)@aslong$((long double)w);"),
    detour("static pair2 @asvector$(pair2 v) { return v; }", "w = @asvector$((pair2){0, w})[1];"),
    detour("static __int128 @aswide$(__int128 v) { return v; }", "w = (uint64_t)(@aswide$((__int128)w << 64) >> 64);"),
    detour(
        "struct @halves$ { uint16_t h[4]; }; static struct @halves$ @turn$(struct @halves$ v) { return v; }",
        "{ struct @halves$ v; memcpy(&v, &w, 8); v = @turn$(v); memcpy(&w, &v, 8); }",
    ),
    detour(
        "struct @large$ { char pad[40]; float lo, hi; }; static struct @large$ @turn$(struct @large$ v) { return v; }",
        "{ struct @large$ v; memcpy(&v.lo, &w, 8); v = @turn$(v); memcpy(&w, &v.lo, 8); }",
    ),
    detour(
        "static uint64_t @many$(int n, ...) { va_list l; va_start(l, n); uint64_t w = va_arg(l, uint64_t); va_end(l); return w; }",
        "w = @many$(1, w);",
    ),
    detour(
        "static uint64_t @many$(int n, ...) { va_list l, k; va_start(l, n); va_copy(k, l); unsigned a = va_arg(k, unsigned), b = va_arg(k, unsigned); va_end(k); va_end(l); return a | (uint64_t)b << 32; }",
        "w = @many$(2, (unsigned)w, (unsigned)(w >> 32));",
    ),
    detour(
        "static uint64_t @many$(int n, ...) { va_list l; va_start(l, n); double d = va_arg(l, double); va_end(l); uint64_t w; memcpy(&w, &d, 8); return w; }",
        "{ double d; memcpy(&d, &w, 8); w = @many$(1, d); }",
    ),
    detour(
        "static uint64_t @many$(int n, ...) { va_list l; va_start(l, n); long double d = va_arg(l, long double); va_end(l); return (uint64_t)d; }",
        "w = @many$(1, (long double)w);",
    ),
    detour("static char @digits$[40];", "sprintf(@digits$, \"%lu\", w); w = strtoull(@digits$, 0, 10);"),
    detour(
        "",
        "{ FILE *file = tmpfile(); char *line = 0; size_t room = 0; fprintf(file, \"%lx\", w); rewind(file); if (getline(&line, &room, file) > 0) w = strtoul(line, 0, 16); free(line); fclose(file); }",
    ),
    detour(
        "",
        "{ FILE *file = tmpfile(); for (int i = 0; i < 8; i++) putc((int)(w >> 8 * i & 255), file); rewind(file); w = 0; for (int i = 0; i < 8; i++) w |= (uint64_t)getc(file) << 8 * i; fclose(file); }",
    ),
    detour(
        "",
        "{ FILE *file = tmpfile(); fprintf(file, \"%*s\", (int)(w & 255), \"\"); w = (w & ~255ul) | (uint64_t)ftell(file); fclose(file); }",
    ),
    detour(
        "",
        "{ FILE *file = tmpfile(); char text[40]; sprintf(text, \"%lu\\n\", w); fputs(text, file); rewind(file); fscanf(file, \"%lu\", &w); fclose(file); }",
    ),
    detour(
        "static char @digits$[40], @copy$[40];",
        "sprintf(@digits$, \"%p\", (void *)w); strcpy(@copy$, @digits$); { void *q; sscanf(@copy$, \"%p\", &q); w = (uint64_t)q; }",
    ),
    detour(
        "",
        "{ char *text; if (asprintf(&text, \"%lx\", w) > 0) { char *copy = strdup(text); w = strtoul(copy, 0, 16); free(copy); free(text); } }",
    ),
    detour(
        "static char *@tail$(char *end, int n) { return end - n; }",
        "{ uint64_t v = 0; for (int i = 0; i < 8; i++) { int n = (int)(w >> 8 * i & 255); char a[n + 1]; char *e = @tail$(a + n, n); v |= (uint64_t)(a + n - e) << 8 * i; } w = v; }",
    ),
    detour(
        "",
        "{ uint64_t v = 0; for (int i = 0; i < 8; i++) { int n = (int)(w >> 8 * i & 255); char a[256] = \"\"; memset(a, 1, n); a[n] = 0; v |= (uint64_t)strlen(a) << 8 * i; } w = v; }",
    ),
    detour("", "{ uint64_t v = 0; for (int i = 0; i < 64; i += 5) v |= (w >> i & 31) << i; w = v; }"),
    detour(
        "",
        "{ struct { uint64_t a : 33, b : 31; } v = {w & 0x1ffffffff, w >> 33}; w = (uint64_t)v.a | (uint64_t)v.b << 33; }",
    ),
    detour("", "{ _BitInt(129) v = w; v <<= 60; w = (uint64_t)(v >> 60); }"),
    detour("static _Atomic uint64_t @cell$;", "atomic_exchange(&@cell$, w); w = atomic_load(&@cell$);"),
    detour(
        "static uint64_t @cell$;",
        "{ uint64_t seen = @cell$; __atomic_compare_exchange_n(&@cell$, &seen, w, 0, 5, 5); w = __atomic_fetch_add(&@cell$, 0, 5); }",
    ),
    detour(
        "static uint64_t @rest$(uint64_t w, int n) { return n ? @rest$(w + 1, n - 1) - 1 : w; }",
        "w = @rest$(w, 3);",
    ),
    detour(
        "static uint64_t @same$(uint64_t w) { return w; } static uint64_t (*@via$)(uint64_t) = @same$;",
        "w = @via$(w);",
    ),
    detour("", "{ uint64_t v = w; asm volatile(\"\" : \"+r\"(v)); w = v; }"),
    detour("", "{ uint64_t v; asm(\"mov %1, %0\" : \"=r\"(v) : \"r\"(w)); w = v; }"),
    detour("", "{ jmp_buf b; volatile uint64_t v = w; if (!setjmp(b)) longjmp(b, 1); w = v; }"),
    detour("", "{ uint64_t a[4] = {0, w, 0, 0}, b[4]; memmove(b, a, sizeof a); w = b[1]; }"),
    detour(
        "static int @order$(const void *a, const void *b) { uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b; return (x > y) - (x < y); }",
        "{ uint64_t a[2] = {w, 1}; qsort(a, 2, sizeof *a, @order$); w = a[1]; }",
    ),
    detour(
        "",
        "{ float f[4]; for (int i = 0; i < 4; i++) f[i] = (float)(w >> 16 * i & 0xffff); w = 0; for (int i = 0; i < 4; i++) w |= (uint64_t)f[i] << 16 * i; }",
    ),
    detour(
        "",
        "{ bytes16 v = {0}; memcpy(&v, &w, 8); v = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15); memcpy(&w, &v, 8); w = __builtin_bswap64(w); }",
    ),
    detour("", "{ wchar_t v[2] = {(wchar_t)w, (wchar_t)(w >> 32)}; w = (uint32_t)v[0] | (uint64_t)v[1] << 32; }"),
    detour("", "{ void *labels[] = {&&@one$, &&@two$}; goto *labels[1]; @one$: w = 0; @two$: ; }"),
    detour("", "{ uint64_t v = 0; switch (w & 1) { case 0: v = w; break; default: v = w ^ 0; } w = v; }"),
    detour(
        "static uint64_t @select$(int c, uint64_t a, uint64_t b) { return c ? a : b; }",
        "w = @select$(w != 0, w, 0);",
    ),
];
