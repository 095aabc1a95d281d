/*
 * Runs a fuzz target over the files of its corpus, and over truncated and bit-flipped
 * variants of each, so that every test run covers more than the corpus itself.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20, VARIANTS = 64 };

/*
 * The target gets memory of exactly that size, so that ASan detects reads past the end.
 */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_variants(uint8_t *data, size_t size)
{
    uint32_t seed = 2463534242u;
    run(data, size);
    for (int i = 0; i < VARIANTS && size > 0; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        size_t at = seed % size;
        run(data, at);
        uint8_t kept = data[at];
        data[at] = (uint8_t)(seed >> 8);
        run(data, size);
        data[at] = kept;
    }
}

int main(int argc, char **argv)
{
    static uint8_t data[FILE_MAX];
    int files = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
        FILE *f = e->d_name[0] != '.' ? fopen(path, "rb") : NULL;
        if (f == NULL)
            continue;
        run_variants(data, fread(data, 1, sizeof(data), f));
        fclose(f);
        files++;
    }
    closedir(folder);
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
