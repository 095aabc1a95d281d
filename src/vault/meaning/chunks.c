#include "vault/meaning/chunks.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/meaning/boilerplate.h"
#include "vault/meaning/paragraphs.h"
#include "vault/meaning/plain_text.h"

/* Lengths are in units, so that words and characters can be added. */
enum {
    UNITS_WORD = 5,
    UNITS_SIGN = 3,
    UNITS_MIN = CHUNK_WORDS_MIN * UNITS_WORD,
    UNITS_MAX = CHUNK_WORDS_MAX * UNITS_WORD,
    LEVELS = 6,
    PREFIX_PART = 3, /* the headings have at most one part of so many of a chunk */
};

struct cutter {
    struct arena *a;
    const struct file *file;
    const struct chunks_how *how;
    struct plain_text plain;
    str title;         /* with aliases */
    str trail[LEVELS]; /* the headings above the current place, by level */
    str prefix;        /* of the chunk that is collected */
    uint32_t line, heading, level;
    uint32_t now; /* the heading of the current place */
    bool open;    /* whether line, heading and prefix are set */
    struct sbuf text;
    size_t units;
    struct note_chunk *out;
    size_t n;
};

/* --- lengths --- */

/* The units of a text, or of its beginning: stops after max units or bytes, between words
 * or signs, with the place in *end. */
static size_t units_of(str text, size_t max, size_t bytes, size_t *end)
{
    size_t units = 0, at = 0;
    bool in_word = false;
    *end = text.n;
    size_t last = 0; /* where it can be cut */
    while (at < text.n) {
        size_t n;
        uint32_t c = utf8_decode(str_skip(text, at), &n);
        bool sign = c >= 0x80 && utf8_is_cjk(c), space = c == ' ';
        if (space || sign || !in_word)
            last = at;
        if (sign)
            units += UNITS_SIGN;
        else if (!space && !in_word)
            units += UNITS_WORD;
        in_word = !space && !sign;
        if (units > max || at + n > bytes) {
            *end = last > 0 ? last : at > 0 ? at : n;
            return units;
        }
        at += n;
    }
    return units;
}

/* --- one chunk --- */

static str cut_title(struct arena *a, const struct file *f)
{
    struct sbuf b = SBUF_ON(a), names = SBUF_ON(a);
    sbuf_add(&b, file_title(f->path));
    for (size_t i = 0; i < f->aliases.n && names.n < CHUNK_ALIASES_MAX; i++)
        sbuf_printf(&names, "%s" STR_FMT, names.n > 0 ? ", " : "",
                    STR_ARG(f->aliases.items[i]));
    if (names.n > 0)
        sbuf_printf(&b, " (" STR_FMT ")",
                    STR_ARG(utf8_cut(sbuf_str(&names), CHUNK_ALIASES_MAX)));
    return utf8_repair(a, sbuf_str(&b));
}

static str cut_prefix(const struct cutter *c)
{
    struct sbuf b = SBUF_ON(c->a);
    sbuf_add(&b, c->title);
    for (size_t i = 0; i < LEVELS; i++)
        if (c->trail[i].n > 0)
            sbuf_printf(&b, " > " STR_FMT, STR_ARG(c->trail[i]));
    return utf8_cut(sbuf_str(&b), c->how->bytes / PREFIX_PART);
}

static void open_chunk(struct cutter *c, uint32_t line, uint32_t heading, uint32_t level)
{
    c->prefix = cut_prefix(c);
    c->line = line;
    c->heading = heading;
    c->level = level;
    c->open = true;
    c->text = SBUF_ON(c->a);
    c->units = 0;
}

/* The id is hashed with the text, so it is written before it. */
static void add_chunk(struct cutter *c, str text)
{
    struct sbuf b = SBUF_ON(c->a);
    if (c->n == CHUNKS_MAX)
        return;
    sbuf_add(&b, c->how->id);
    sbuf_char(&b, '\0');
    size_t start = b.n;
    sbuf_add(&b, c->prefix);
    if (text.n > 0)
        sbuf_char(&b, '\n');
    sbuf_add(&b, text);
    *ARRAY_ADD(c->a, c->out, c->n) =
        (struct note_chunk){.text = str_skip(sbuf_str(&b), start),
                            .hash = hash_content(sbuf_str(&b)),
                            .line = c->line,
                            .heading = c->heading};
}

static size_t room(const struct cutter *c)
{
    return c->how->bytes - c->prefix.n - 1;
}

static void close_chunk(struct cutter *c)
{
    if (c->open && c->text.n > 0)
        add_chunk(c, sbuf_str(&c->text));
    c->text = SBUF_ON(c->a);
    c->units = 0;
}

/* --- the parts of a note --- */

/* The rest of the section continues in another chunk, from that line on. */
static void continue_at(struct cutter *c, uint32_t line)
{
    close_chunk(c);
    c->line = line;
    c->heading = c->now;
    c->prefix = cut_prefix(c);
}

static void add_text(struct cutter *c, str text, uint32_t line)
{
    size_t end, units = units_of(text, UNITS_MAX, SIZE_MAX, &end);
    if (c->text.n > 0 &&
        (c->units + units > UNITS_MAX || c->text.n + 1 + text.n > room(c)))
        continue_at(c, line);
    for (;;) {
        units = units_of(text, UNITS_MAX, room(c), &end);
        if (end == text.n)
            break;
        add_chunk(c, str_trim(str_slice(text, 0, end)));
        text = str_trim(str_skip(text, end));
    }
    if (c->text.n > 0)
        sbuf_char(&c->text, '\n');
    sbuf_add(&c->text, text);
    c->units += units;
}

static void set_trail(struct cutter *c, unsigned level, str title)
{
    c->trail[level - 1] = title;
    for (size_t i = level; i < LEVELS; i++)
        c->trail[i] = STR("");
}

/* A heading begins a chunk, unless the one before it is short: then its title is a
 * part of that. One without text of its own is only a part of the trail of those below
 * it. */
static void cut_heading(struct cutter *c, const struct paragraph *p)
{
    uint32_t number = p->headings - 1;
    const struct note_heading *h = &c->file->note.headings[number];
    str title = plain_text_part(&c->plain, c->a, h->title);
    bool below = c->text.n == 0 && (!c->open || h->level > c->level);
    bool joins = c->open && !below && c->units < UNITS_MIN;
    set_trail(c, h->level, title);
    c->now = number;
    if (joins) {
        add_text(c, title, p->line);
        return;
    }
    close_chunk(c);
    open_chunk(c, p->line, number, h->level);
}

static void cut_paragraph(struct cutter *c, const struct paragraph *p)
{
    str raw = span_of(c->file->text, p->span);
    str text = plain_text_part(&c->plain, c->a, p->span);
    if (text.n == 0 || boilerplate_has(c->how->boilerplate, raw))
        return;
    if (!c->open)
        open_chunk(c, p->line, CHUNK_NO_HEADING, 0);
    add_text(c, text, p->line);
}

bool chunks_has(const struct file *f)
{
    return f->kind == FILE_NOTE && !f->excluded && !f->unread;
}

size_t chunks_cut(struct arena *a, const struct file *f, const struct chunks_how *how,
                  struct note_chunk **out)
{
    struct cutter c = {.a = a,
                       .file = f,
                       .how = how,
                       .plain = {.note = &f->note},
                       .title = cut_title(a, f),
                       .line = 1,
                       .heading = CHUNK_NO_HEADING,
                       .now = CHUNK_NO_HEADING};
    struct paragraphs all = paragraphs_of(f);
    for (struct paragraph p; c.n < CHUNKS_MAX && paragraphs_next(&all, &p);)
        if (p.span.end > p.span.start)
            cut_paragraph(&c, &p);
        else
            cut_heading(&c, &p);
    close_chunk(&c);
    if (c.n == 0) {
        c.prefix = utf8_cut(c.title, how->bytes);
        add_chunk(&c, STR(""));
    }
    *out = c.out;
    return c.n;
}
