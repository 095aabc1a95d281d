/*
 * A record of the journal: any bytes can be read; a line with a correct chain, too; what
 * is printed is read back.
 */
#include "base/encode.h"
#include "base/sbuf.h"
#include "vault/change/journal_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char start[JOURNAL_CHAIN + 1] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* text as a record that follows the chain. */
static str chained(struct arena *a, str text)
{
    uint8_t sum[HASH_SIZE];
    hash_sha256(arena_printf(a, "%s" STR_FMT, start, STR_ARG(text)), sum);
    str hex = encode_hex(a, (str){(const char *)sum, sizeof(sum)});
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, text);
    sbuf_char(&out, '#');
    sbuf_add(&out, hex);
    sbuf_char(&out, '\n');
    return sbuf_str(&out);
}

static void read_any(struct arena *a, str text, const char *follows)
{
    char chain[JOURNAL_CHAIN];
    struct journal_line line;
    struct err err;
    size_t length;
    if (journal_measure(a, text, follows, chain, &line, &length, &err) && length > text.n)
        BUG("a record longer than its file");
}

static void print_and_read(struct arena *a, str text)
{
    struct journal_op op = {.kind = JOURNAL_WRITE,
                            .path = STR("a.md"),
                            .existed = true,
                            .old = text,
                            .mode = 0600};
    struct journal_change change = {.number = 1, .key = STR("k"), .ops = &op, .n = 1};
    char chain[JOURNAL_CHAIN], read[JOURNAL_CHAIN];
    struct journal_line line;
    struct err err;
    size_t length;
    memcpy(chain, start, JOURNAL_CHAIN);
    str record = journal_print_change(a, &change, chain);
    if (!journal_measure(a, record, start, read, &line, &length, &err) ||
        length != record.n || memcmp(read, chain, JOURNAL_CHAIN) != 0 ||
        line.old_bytes != text.n)
        BUG("a record is not read back");
    if (journal_measure(a, str_slice(record, 0, record.n - 1), start, read, &line,
                        &length, &err) &&
        length > 0)
        BUG("a record without its end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    str text = {(const char *)data, size};
    read_any(&a, text, NULL);
    read_any(&a, chained(&a, text), start);
    print_and_read(&a, text);
    arena_release(&a);
    return 0;
}
