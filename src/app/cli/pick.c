#include "app/cli/pick.h"

#include "app/answers/term.h"
#include "app/cli/ask.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/text/visible.h"

enum { FILTER_MAX = 200 };

struct picking {
    struct arena *arena;
    const struct picker *p;
    str *folded;
    size_t *fits; /* numbers of items */
    size_t n, at, top, drawn;
    char filter[FILTER_MAX];
    size_t filter_n;
    struct sbuf out;
};

bool pick_is_possible(void)
{
    return terminal_is(FILE_STDIN) && terminal_is(FILE_STDOUT) &&
           terminal_is(FILE_STDERR);
}

size_t pick_filter(struct arena *a, const str *folded, size_t n, str filter, size_t *out)
{
    str words = utf8_fold(a, filter);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        str rest = words, word;
        bool fits = true;
        while (fits && str_next(&rest, ' ', &word))
            fits = word.n == 0 || str_find(folded[i], word) != STR_NONE;
        if (fits)
            out[kept++] = i;
    }
    return kept;
}

/* --- drawing --- */

/* A line that fits, without control characters. */
static void pick_put(struct picking *k, const char *style, str text, size_t width)
{
    str clean = visible_text(k->arena, text);
    size_t end = 0, used = 0;
    for (size_t n; end < clean.n; end += n) {
        used += utf8_columns(utf8_decode(str_skip(clean, end), &n));
        if (used >= width)
            break;
    }
    sbuf_printf(&k->out, "%s" STR_FMT "\x1b[0m\x1b[K", style,
                STR_ARG(str_slice(clean, 0, end)));
}

static void pick_erase(struct picking *k)
{
    if (k->drawn > 0)
        sbuf_printf(&k->out, "\r\x1b[%zuA\x1b[J", k->drawn);
    else
        sbuf_add(&k->out, STR("\r\x1b[J"));
}

static void pick_flush(struct picking *k)
{
    (void)!file_write(FILE_STDERR, sbuf_str(&k->out));
    k->out.n = 0;
}

/* The first line that says more than the name: headings often repeat it. */
static str pick_first_line(str text)
{
    str line = STR("");
    while (text.n > 0 && (str_trim_line(line).n == 0 || str_starts(line, STR("#"))))
        if (!str_next(&text, '\n', &line))
            break;
    return str_trim_line(line);
}

static void pick_draw(struct picking *k)
{
    size_t width = terminal_width(FILE_STDERR), height = terminal_height(FILE_STDERR);
    size_t rows = height > 4 && height - 4 < PICK_ROWS ? height - 4 : PICK_ROWS;
    if (k->at < k->top)
        k->top = k->at;
    if (k->at >= k->top + rows)
        k->top = k->at - rows + 1;
    pick_erase(k);
    k->drawn = 0;
    for (size_t i = k->top; i < k->n && i < k->top + rows; i++, k->drawn++) {
        sbuf_add(&k->out, i == k->at ? STR("> ") : STR("  "));
        pick_put(k, i == k->at ? "\x1b[1m" : "", k->p->items[k->fits[i]], width - 3);
        sbuf_char(&k->out, '\n');
    }
    str preview = k->p->preview != NULL && k->n > 0
                      ? pick_first_line(k->p->preview(k->p->arg, k->fits[k->at]))
                      : STR("");
    pick_put(
        k, "\x1b[2m",
        arena_printf(k->arena, "%zu of %zu  " STR_FMT, k->n, k->p->n, STR_ARG(preview)),
        width);
    sbuf_char(&k->out, '\n');
    k->drawn++;
    pick_put(k, "",
             arena_printf(k->arena, "%s " STR_FMT, k->p->title,
                          STR_ARG(((str){k->filter, k->filter_n}))),
             width);
    pick_flush(k);
}

/* --- keys --- */

static void pick_refilter(struct picking *k)
{
    struct arena scratch = {0};
    k->n =
        pick_filter(&scratch, k->folded, k->p->n, (str){k->filter, k->filter_n}, k->fits);
    k->at = k->top = 0;
    arena_release(&scratch);
}

/* The last character, with all its bytes. */
static void pick_remove_char(struct picking *k)
{
    while (k->filter_n > 0 && ((unsigned char)k->filter[k->filter_n - 1] & 0xC0) == 0x80)
        k->filter_n--;
    k->filter_n -= k->filter_n > 0;
    pick_refilter(k);
}

enum pick_outcome { PICK_GOES_ON, PICK_CHOSEN, PICK_NONE };

static enum pick_outcome pick_key(struct picking *k, str key)
{
    unsigned char c = (unsigned char)key.p[0];
    bool up = str_eq(key, STR("\x1b[A")) || str_eq(key, STR("\x1bOA")) || c == 0x10;
    bool down = str_eq(key, STR("\x1b[B")) || str_eq(key, STR("\x1bOB")) || c == 0x0E;
    if (c == '\r' || c == '\n')
        return k->n > 0 ? PICK_CHOSEN : PICK_GOES_ON;
    if (c == 0x03 || c == 0x04 || str_eq(key, STR("\x1b")))
        return PICK_NONE;
    if (up || down) {
        k->at = up ? k->at - (k->at > 0) : k->at + (k->at + 1 < k->n);
    } else if (c == 0x7F || c == 0x08) {
        pick_remove_char(k);
    } else if (c == 0x15) {
        k->filter_n = 0;
        pick_refilter(k);
    } else if (c >= 0x20 && k->filter_n + key.n <= FILTER_MAX) {
        memcpy(k->filter + k->filter_n, key.p, key.n);
        k->filter_n += key.n;
        pick_refilter(k);
    }
    return PICK_GOES_ON;
}

static enum pick_outcome pick_loop(struct picking *k)
{
    char bytes[TERMINAL_KEY_MAX];
    size_t n;
    enum pick_outcome outcome = PICK_GOES_ON;
    while (outcome == PICK_GOES_ON) {
        pick_draw(k);
        outcome = terminal_read_key(bytes, &n) ? pick_key(k, (str){bytes, n}) : PICK_NONE;
    }
    pick_erase(k);
    pick_flush(k);
    return outcome;
}

static bool pick_by_number(struct term *t, const struct picker *p, size_t *chosen,
                           struct err *err)
{
    struct ask ask = {t->out.arena, t};
    str ignored;
    return ask_choice(&ask, str_c(p->title), p->items, p->n < 50 ? p->n : 50, false,
                      chosen, &ignored, err);
}

bool pick(struct term *t, const struct picker *p, size_t *chosen, struct err *err)
{
    struct arena *a = t->out.arena;
    struct picking k = {.arena = a, .p = p, .out = SBUF_ON(a)};
    k.folded = ARENA_ARRAY(a, str, p->n);
    k.fits = ARENA_ARRAY(a, size_t, p->n);
    for (size_t i = 0; i < p->n; i++)
        k.folded[i] = utf8_fold(a, p->items[i]);
    pick_refilter(&k);
    term_flush(t);
    if (!terminal_keys_begin())
        return pick_by_number(t, p, chosen, err);
    enum pick_outcome outcome = pick_loop(&k);
    terminal_keys_end();
    if (outcome != PICK_CHOSEN)
        return err_set(err, ERR_INVALID, "nothing was chosen");
    *chosen = k.fits[k.at];
    return true;
}

/* --- files --- */

struct pick_files {
    const struct file **files;
};

static str pick_preview(void *arg, size_t i)
{
    const struct file *f = ((struct pick_files *)arg)->files[i];
    return f->kind == FILE_NOTE ? str_skip(f->text, f->note.body) : STR("");
}

bool pick_file(struct term *t, const struct index *x, str word, const struct file **out,
               struct err *err)
{
    struct pick_files all;
    struct picker p = {.title = "Which one?", .preview = pick_preview, .arg = &all};
    size_t chosen;
    if (!pick_is_possible())
        return false;
    p.n = find_all(x, t->out.arena, word, &all.files);
    if (p.n < 2)
        return false;
    str *paths = ARENA_ARRAY(t->out.arena, str, p.n);
    for (size_t i = 0; i < p.n; i++)
        paths[i] = all.files[i]->path;
    p.items = paths;
    if (!pick(t, &p, &chosen, err))
        return false;
    *out = all.files[chosen];
    return true;
}
