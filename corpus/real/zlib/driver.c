/* Two threads, each of which deflates a text and inflates it again, with streams of its own. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <zlib.h>

static const char *const texts[2] = {"what waits for a lock waits for its holder", "lock lock lock unlock unlock unlock"};

static void *packs(void *argument)
{
    const char *text = argument;
    unsigned char packed[256];
    char unpacked[256];
    uLongf packed_length = sizeof packed, length = sizeof unpacked;
    assert(compress2(packed, &packed_length, (const Bytef *)text, strlen(text) + 1, 6) == Z_OK);
    assert(uncompress((Bytef *)unpacked, &length, packed, packed_length) == Z_OK);
    assert(length == strlen(text) + 1 && strcmp(text, unpacked) == 0);
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, packs, (void *)texts[1]);
    packs((void *)texts[0]);
    pthread_join(other, 0);
    return 0;
}
