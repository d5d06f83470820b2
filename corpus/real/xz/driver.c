/* Packs or unpacks a text of two blocks by liblzma's coder with two threads, and compares what comes out. */
#include <assert.h>
#include <lzma.h>
#include <string.h>

enum { LENGTH = 2 * 4096 };

static uint8_t text[LENGTH], packed[4 * LENGTH], unpacked[LENGTH];

/* Runs a coder to its end: how many bytes it gave. */
static size_t run(lzma_stream *stream, const uint8_t *input, size_t length, uint8_t *output, size_t room)
{
    stream->next_in = input;
    stream->avail_in = length;
    stream->next_out = output;
    stream->avail_out = room;
    lzma_ret result;
    do
        result = lzma_code(stream, LZMA_FINISH);
    while (result == LZMA_OK);
    assert(result == LZMA_STREAM_END);
    size_t given = room - stream->avail_out;
    lzma_end(stream);
    return given;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (uint8_t)("lock the mutex "[i % 15] + i / 1000);
    int parallel_encoder = argc > 1 && strcmp(argv[1], "encode") == 0;
    lzma_mt options = {.threads = parallel_encoder ? 2 : 1, .block_size = LENGTH / 2, .preset = 0, .check = LZMA_CHECK_CRC32};
    lzma_stream encoder = LZMA_STREAM_INIT, decoder = LZMA_STREAM_INIT;
    assert(lzma_stream_encoder_mt(&encoder, &options) == LZMA_OK);
    size_t length = run(&encoder, text, LENGTH, packed, sizeof packed);
    if (parallel_encoder) {
        assert(lzma_stream_decoder(&decoder, UINT64_MAX, 0) == LZMA_OK);
    } else {
        lzma_mt decoding = {.threads = 2, .memlimit_threading = UINT64_MAX, .memlimit_stop = UINT64_MAX};
        assert(lzma_stream_decoder_mt(&decoder, &decoding) == LZMA_OK);
    }
    assert(run(&decoder, packed, length, unpacked, LENGTH) == LENGTH);
    assert(memcmp(text, unpacked, LENGTH) == 0);
    return 0;
}
