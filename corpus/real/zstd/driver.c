/* Compresses a text of two jobs with two workers, and unpacks it again. */
#include <assert.h>
#include <string.h>
#include <zstd.h>

enum { LENGTH = 1 << 20 };

static char text[LENGTH], packed[LENGTH], unpacked[LENGTH];

int main(void)
{
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)("signal the condition "[i % 21] + i / 65536);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert(context);
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)));
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 2)));
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_jobSize, LENGTH / 2)));
    size_t length = ZSTD_compress2(context, packed, sizeof packed, text, LENGTH);
    assert(!ZSTD_isError(length));
    ZSTD_freeCCtx(context);
    assert(ZSTD_decompress(unpacked, LENGTH, packed, length) == LENGTH);
    assert(memcmp(text, unpacked, LENGTH) == 0);
    return 0;
}
