#include "vault/note/merge.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/merge_parts.h"
#include "vault/note/note.h"
#include "vault/text/encoding.h"

enum { BASE, OUR, THEIR, SIDES };

/* --- whole texts --- */

static bool same(const str *x, const str *y)
{
    return x == NULL || y == NULL ? x == y : str_eq(*x, *y);
}

static void merge_take(struct merge_result *out, const str *text)
{
    out->gone = text == NULL;
    out->text = text != NULL ? *text : (str){0};
}

/* Merge without looking into the texts; false if that does not suffice. */
static bool merge_whole(const struct merge_input *in, struct merge_result *out)
{
    if (same(in->ours, in->theirs) || same(in->theirs, in->base))
        merge_take(out, in->ours);
    else if (same(in->ours, in->base))
        merge_take(out, in->theirs);
    else if (in->ours == NULL || in->theirs == NULL) {
        merge_take(out, in->ours != NULL ? in->ours : in->theirs);
        out->revived = true;
    } else
        return false;
    return true;
}

static bool is_readable(str text)
{
    return text.n <= MERGE_MAX_BYTES && utf8_valid(text) &&
           str_find_char(text, '\0') == STR_NONE;
}

static void collide_whole(struct arena *a, const struct merge_input *in,
                          struct merge_result *out)
{
    merge_take(out, in->ours);
    out->collisions = ARENA_NEW(a, struct merge_collision);
    out->n_collisions = 1;
    out->collisions[0] = (struct merge_collision){
        .result = {0, (uint32_t)in->ours->n},
        .theirs = {0, (uint32_t)in->theirs->n},
    };
}

/* --- notes --- */

/* The most frequent line ending; empty if there is none. */
static str usual_eol(str text)
{
    size_t feeds = 0, pairs = 0, returns = 0;
    for (size_t at = 0; at < text.n; at++) {
        if (!is_break(text.p[at]))
            continue;
        str eol = text_break(text, at);
        feeds += eol.p[0] == '\n';
        pairs += eol.n == 2;
        returns += eol.n == 1 && eol.p[0] == '\r';
        at += eol.n - 1;
    }
    if (feeds + pairs + returns == 0)
        return (str){0};
    if (feeds >= pairs && feeds >= returns)
        return STR("\n");
    return pairs >= returns ? STR("\r\n") : STR("\r");
}

static void choose_eol(struct merge *m, const str texts[SIDES])
{
    str base = usual_eol(texts[BASE]), ours = usual_eol(texts[OUR]),
        theirs = usual_eol(texts[THEIR]);
    if (base.n == 0)
        base = ours.n > 0 ? ours : theirs;
    ours = ours.n > 0 ? ours : base;
    theirs = theirs.n > 0 ? theirs : base;
    m->eol = merge_pick(base, ours, theirs);
    m->eol = m->eol.n > 0 ? m->eol : STR("\n");
    m->eol_old = str_eq(m->eol, base) ? (str){0} : base;
}

struct merge_parts {
    str bom;
    struct merge_block properties;
    struct merge_lines lines;
};

static void cut_parts(struct merge *m, str text, struct merge_parts *out)
{
    struct note note;
    note_scan(m->scratch, text, &note);
    out->bom = str_slice(text, 0, note.bom);
    out->properties.at = note.bom;
    if (note.has_frontmatter) {
        struct span block = note.frontmatter;
        out->properties.head = str_slice(text, note.bom, block.start);
        out->properties.block = span_of(text, block);
        out->properties.tail = str_slice(text, block.end, note.body);
    }
    out->lines = merge_cut(m, &note);
}

static void merge_notes(struct merge *m, const str texts[SIDES])
{
    struct merge_parts parts[SIDES] = {0};
    for (int s = 0; s < SIDES; s++)
        cut_parts(m, texts[s], &parts[s]);
    merge_name_lines(m, (struct merge_lines *const[]){
                            &parts[BASE].lines, &parts[OUR].lines, &parts[THEIR].lines});
    choose_eol(m, texts);
    sbuf_room(&m->out, texts[OUR].n + texts[THEIR].n);
    sbuf_add(&m->out, merge_pick(parts[BASE].bom, parts[OUR].bom, parts[THEIR].bom));
    m->body = m->out.n;
    merge_frontmatter(m, &parts[BASE].properties, &parts[OUR].properties,
                      &parts[THEIR].properties);
    merge_weave(m, &parts[BASE].lines, &parts[OUR].lines, &parts[THEIR].lines);
}

/* All three are UTF-8. */
static bool merge_utf8(struct arena *a, const struct merge_input *in,
                       struct merge_result *out)
{
    str base = in->base != NULL ? *in->base : (str){0};
    if (in->kind == MERGE_OPAQUE || !is_readable(base) || !is_readable(*in->ours) ||
        !is_readable(*in->theirs)) {
        collide_whole(a, in, out);
        return false;
    }
    struct arena scratch = {0};
    struct merge m = {
        .arena = a,
        .scratch = &scratch,
        .work = MERGE_WORK_MAX,
        .out = SBUF_ON(a),
        .result = out,
    };
    const str texts[] = {base, *in->ours, *in->theirs};
    bool merged = true;
    if (in->kind == MERGE_CANVAS)
        merged = merge_canvas(&m, texts);
    else
        merge_notes(&m, texts);
    out->text = sbuf_str(&m.out);
    if (!merged)
        collide_whole(a, in, out);
    arena_release(&scratch);
    return out->n_collisions == 0;
}

/* --- other encodings --- */

/* The encoding of the result: that of the side that changed it. */
static enum encoding merge_encoding(const enum encoding e[SIDES])
{
    return e[THEIR] != e[BASE] ? e[THEIR] : e[OUR];
}

/* Merge texts of which at least one is of another encoding. What collides, or cannot be
 * written in the encoding of the result, collides as a whole. */
static bool merge_decoded(struct arena *a, const struct merge_input *in,
                          const enum encoding e[SIDES], const str texts[SIDES],
                          struct merge_result *out)
{
    struct merge_input utf8 = {.kind = in->kind,
                               .base = in->base != NULL ? &texts[BASE] : NULL,
                               .ours = &texts[OUR],
                               .theirs = &texts[THEIR]};
    str missing;
    if ((merge_whole(&utf8, out) || merge_utf8(a, &utf8, out)) &&
        encoding_write(a, out->text, merge_encoding(e), &out->text, &missing))
        return true;
    *out = (struct merge_result){0};
    collide_whole(a, in, out);
    return false;
}

bool merge_texts(struct arena *a, const struct merge_input *in, struct merge_result *out)
{
    enum encoding e[SIDES];
    *out = (struct merge_result){0};
    if (merge_whole(in, out))
        return true;
    str none = {0}, texts[SIDES];
    texts[BASE] = encoding_read(a, in->base != NULL ? *in->base : none, &e[BASE]);
    texts[OUR] = encoding_read(a, *in->ours, &e[OUR]);
    texts[THEIR] = encoding_read(a, *in->theirs, &e[THEIR]);
    bool other = false;
    for (int s = 0; s < SIDES; s++)
        other = other || encoding_is_other(e[s]);
    return other ? merge_decoded(a, in, e, texts, out) : merge_utf8(a, in, out);
}
