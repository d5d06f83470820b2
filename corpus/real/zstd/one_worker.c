/* Compresses a text by the streaming interface, which does not tell the compressor how long the text is: so it gives a job to a
 * worker, however short the text. Unpacks it again. */
#include <assert.h>
#include <string.h>
#include <zstd.h>

enum { LENGTH = 256 };

static char text[LENGTH], packed[2 * LENGTH], unpacked[LENGTH];

static void set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)));
}

int main(void)
{
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)("signal the condition "[i % 21] + i / 64);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert(context);
    set(context, ZSTD_c_compressionLevel, 1);
    set(context, ZSTD_c_windowLog, 10);
    set(context, ZSTD_c_hashLog, 6);
    set(context, ZSTD_c_nbWorkers, 1);
    ZSTD_inBuffer input = {text, LENGTH, 0};
    ZSTD_outBuffer output = {packed, sizeof packed, 0};
    assert(!ZSTD_isError(ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue)));
    size_t left;
    do {
        left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
        assert(!ZSTD_isError(left));
    } while (left > 0);
    ZSTD_freeCCtx(context);
    assert(ZSTD_decompress(unpacked, LENGTH, packed, output.pos) == LENGTH);
    assert(memcmp(text, unpacked, LENGTH) == 0);
    return 0;
}
