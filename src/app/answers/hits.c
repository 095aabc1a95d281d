#include "app/answers/hits.h"

#include "app/answers/answer.h"
#include "app/answers/hits_parts.h"
#include "app/answers/term.h"
#include "app/answers/why_none.h"
#include "base/clock.h"
#include "base/sort.h"
#include "base/text.h"
#include "vault/ask/search.h"
#include "vault/index/file.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

const char *const hits_modes[] = {
    [SEARCH_TEXT] = "text",       [SEARCH_REGEX] = "regex", [SEARCH_WORDS] = "words",
    [SEARCH_QUERY] = "query",     [SEARCH_NAMES] = "names", [SEARCH_AUTO] = "auto",
    [SEARCH_MEANING] = "meaning", [SEARCH_FUSED] = NULL,
};

bool hits_is_other_mode(const struct hits *h)
{
    return h->search->mode == SEARCH_AUTO && h->found.mode != SEARCH_TEXT;
}

/* Whether meaning brought these hits together, and none of them is near. */
static bool hits_all_far(const struct search_result *r)
{
    const float far_below = 0.3F; /* with any model in use, unrelated texts */
    for (size_t i = 0; i < r->n; i++)
        if (r->hits[i].meaning == 0 || r->hits[i].meaning >= far_below)
            return false;
    return r->mode == SEARCH_MEANING && r->n > 0;
}

static str why_these(struct arena *a, const struct hits *h)
{
    if (h->found.exact > 0)
        return arena_printf(
            a, STR_FMT " exactly this text; these match it best.",
            STR_ARG(arena_count(a, h->found.exact, "file has", "files have")));
    if (hits_all_far(&h->found))
        return STR("No note is close to this in meaning; these are the closest and may "
                   "be unrelated.");
    if (hits_is_other_mode(h) && h->found.mode == SEARCH_MEANING)
        return STR(
            "No exact match; these notes are closest in words and meaning, best first.");
    if (h->found.unquoted)
        return STR("Nothing has the phrase in quotes; searched without the quotes.");
    if (h->found.any)
        return STR("No note contains all the words; these contain some of them.");
    if (hits_is_other_mode(h) && h->found.mode == SEARCH_WORDS)
        return STR("No exact match; these notes contain its words, or some of them, best "
                   "match first.");
    if (hits_is_other_mode(h) && !search_is_phrases(h->search->query))
        return STR("Interpreted as a query with Obsidian's operators.");
    return (str){0};
}

/* What keeps meaning from helping, or from helping fully; or empty. */
static str hits_meaning(struct arena *a, const struct search_result *r)
{
    if (r->no_meaning.n > 0)
        return arena_printf(a, "words only: " STR_FMT, STR_ARG(r->no_meaning));
    bool used = r->mode == SEARCH_MEANING || r->n_near > 0;
    return used && r->covered < 100
               ? arena_printf(a, "the meaning index is %u %% built", r->covered)
               : (str){0};
}

/* Rank what was found, and explain it. */
static bool hits_complete(struct vault *v, const struct index *x, struct arena *a,
                          struct search_plan *p, const struct meaning_query *question,
                          struct hits *out, struct err *err)
{
    const struct search *s = search_of(p);
    *out = (struct hits){.search = s};
    if (!search_rank(x, p, question, &out->found, err))
        return false;
    out->unpaged = s->mode != SEARCH_NAMES ? vault_unpaged(v, x) : 0;
    out->note = why_these(a, out);
    out->meaning = hits_meaning(a, &out->found);
    if (out->found.total > 0)
        return true;
    str none = why_none(x, a, s->folder, s->tag);
    if (none.n > 0)
        out->note = none;
    else if (out->found.with_words > 0)
        out->note = arena_printf(
            a, STR_FMT " all these words, but not as one phrase: omit mode",
            STR_ARG(arena_count(a, out->found.with_words, "note has", "notes have")));
    return true;
}

bool hits_find(struct vault *v, const struct index *x, struct arena *a,
               const struct search *s, struct hits *out, struct err *err)
{
    struct search_plan *p = search_read(a, s);
    return search_find(x, p, err) && hits_complete(v, x, a, p, NULL, out, err);
}

static const struct index *hold(struct vault *v, struct err *err)
{
    return vault_prepare(v, err) ? vault_lock(v) : NULL;
}

/* Hold the index and search the files, unless found is of the same version. */
static const struct index *hold_and_find(struct vault *v, struct search_plan *p,
                                         uint64_t found, struct err *err)
{
    const struct index *x = hold(v, err);
    if (x == NULL || vault_version(v) == found || search_find(x, p, err))
        return x;
    vault_unlock(v);
    return NULL;
}

const struct index *hits_hold(struct vault *v, struct arena *a, struct search_plan *p,
                              struct hits *out, struct err *err)
{
    struct meaning_query question = {0};
    const struct index *x = hold_and_find(v, p, UINT64_MAX, err);
    bool embed = x != NULL && search_needs_vector(p);
    if (embed) {
        uint64_t version = vault_version(v);
        vault_unlock(v);
        vault_embed_query(v, a, search_question(p),
                          clock_ns() + HITS_EMBED_MS * UINT64_C(1000000), &question);
        x = hold_and_find(v, p, version, err);
    }
    if (x == NULL || hits_complete(v, x, a, p, embed ? &question : NULL, out, err))
        return x;
    vault_unlock(v);
    return NULL;
}

/* The page of a hit in a PDF file; else 0. */
static uint32_t hits_page(const struct search_hit *h)
{
    bool inside = h->text.n > 0 && h->text.p >= h->file->text.p;
    return inside ? file_page(h->file, (size_t)(h->text.p - h->file->text.p)) : 0;
}

str hits_page_label(struct arena *a, const struct search_hit *h)
{
    uint32_t page = hits_page(h);
    return page > 0 ? arena_printf(a, "(page %u) ", page) : STR("");
}

uint32_t hits_line(const struct search_hit *h)
{
    return h->from > 0 ? h->from : h->line > 0 ? h->line : 1;
}

/* --- JSON --- */

const str hits_places[] = {
    [SEARCH_FILENAME] = STR("filename"),
    [SEARCH_TAG] = STR("tag"),
    [SEARCH_CONTENT] = STR("content"),
};

void hits_put(struct answer_out *out, const void *result, size_t i)
{
    const struct search_hit *h = &((const struct hits *)result)->found.hits[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), h->file->path);
    jsonw_put_str(out->w, STR("match_type"), hits_places[h->where]);
    jsonw_put_str(out->w, STR("snippet"), h->snippet);
    jsonw_put_int(out->w, STR("line"), hits_line(h));
    uint32_t page = hits_page(h);
    if (page > 0)
        jsonw_put_int(out->w, STR("page"), page);
    jsonw_put_text(out->w, STR("heading"), h->heading);
    if (h->meaning > 0)
        answer_cosine(out, h->meaning);
    jsonw_end(out->w);
}

/* Where a hit goes: hits of a file are sorted by the first of them. */
struct hit_place {
    const struct search_hit *hit;
    size_t first; /* the place of the first hit of its file */
};

static int hits_by_address(const void *a, const void *b)
{
    const struct hit_place *x = a, *y = b;
    uintptr_t p = (uintptr_t)x->hit->file, q = (uintptr_t)y->hit->file;
    return p < q ? -1 : p > q;
}

static int hits_by_first(const void *a, const void *b)
{
    const struct hit_place *x = a, *y = b;
    bool p = x->hit->where == SEARCH_FILENAME, q = y->hit->where == SEARCH_FILENAME;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return q - p;
}

/* Sorting is stable, so the first of a file comes first among those with its address. */
struct hits hits_by_file(struct arena *a, const struct hits *h, size_t n)
{
    struct hits by_file = *h;
    struct hit_place *places = ARENA_ARRAY(a, struct hit_place, n);
    by_file.found.hits = ARENA_ARRAY(a, struct search_hit, n);
    by_file.found.n = n;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct hit_place){&h->found.hits[i], i};
    sort_items(places, n, sizeof(*places), hits_by_address);
    for (size_t i = 1; i < n; i++)
        if (places[i].hit->file == places[i - 1].hit->file)
            places[i].first = places[i - 1].first;
    sort_items(places, n, sizeof(*places), hits_by_first);
    for (size_t i = 0; i < n; i++)
        by_file.found.hits[i] = *places[i].hit;
    return by_file;
}

bool hits_is_same_file(const struct search_hit *hits, size_t i)
{
    return i > 0 && hits[i - 1].file == hits[i].file;
}

bool hits_is_same_line(const struct search_hit *hits, size_t i)
{
    return hits_is_same_file(hits, i) && hits[i - 1].line == hits[i].line;
}

struct hits hits_near(const struct hits *h)
{
    struct hits near = *h;
    near.found.hits = h->found.near;
    near.found.n = h->found.n_near;
    return near;
}

/* A snippet may be from the middle of a comment; everything else it shows by itself. */
static void hits_flag(struct answer_out *out, const struct search_result *r, size_t shown)
{
    const struct file *last = NULL;
    bool comments = false;
    for (size_t i = 0; i < shown; i++) {
        const struct search_hit *hit = &r->hits[i];
        struct hidden_list hidden;
        if (hit->file != last)
            comments = str_find(hit->file->text, STR("<!--")) != STR_NONE;
        last = hit->file;
        if (hit->text.n == 0 || !comments)
            continue;
        hidden_find(hit->file->text, hit->line, hit->line, &hidden);
        answer_flag(out, "results", i, "snippet", &hidden);
    }
}

static void hits_put_files(struct answer_out *out, const struct search_result *r)
{
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < r->n_by_file; i++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("path"), r->by_file[i].file->path);
        jsonw_put_int(out->w, STR("matches"), (int64_t)r->by_file[i].hits);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
}

void hits_put_unsearched(struct answer_out *out, const str *names, size_t n)
{
    if (n == 0)
        return;
    jsonw_put_int(out->w, STR("vaults_not_searched"), (int64_t)n);
    jsonw_put_strs(out->w, STR("not_searched"), names,
                   n < HITS_VAULTS_NAMED ? n : HITS_VAULTS_NAMED);
}

str hits_unsearched(struct arena *a, const str *names, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n && i < HITS_VAULTS_NAMED; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(names[i]));
    if (n > HITS_VAULTS_NAMED)
        sbuf_printf(&out, " and %zu more", n - HITS_VAULTS_NAMED);
    return sbuf_str(&out);
}

static void hits_json(struct answer_out *out, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    struct jsonw *w = out->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("query"), h->search->query);
    if (hits_is_other_mode(h))
        jsonw_put_str(w, STR("mode"), str_c(hits_modes[r->mode]));
    jsonw_put_text(w, STR("corrected"), r->corrected);
    jsonw_put_int(w, STR("total_matches"), (int64_t)r->total);
    jsonw_put_int(w, STR("total_files"), (int64_t)r->files);
    size_t shown = answer_items(out, STR("results"), h, r->n, hits_put);
    hits_flag(out, r, shown);
    if (r->n_near > 0) {
        struct hits near = hits_near(h);
        answer_items(out, STR("near"), &near, near.found.n, hits_put);
    }
    if (h->search->by_file)
        hits_put_files(out, r);
    if (r->total > 0 && h->note.n > 0)
        jsonw_put_str(w, STR("note"), h->note);
    jsonw_put_text(w, STR("meaning_note"), h->meaning);
    jsonw_put_true(w, STR("partial"), r->partial);
    if (r->unread > 0)
        jsonw_put_int(w, STR("files_not_searched"), (int64_t)r->unread);
    if (h->unpaged > 0)
        jsonw_put_int(w, STR("pdf_not_read_yet"), (int64_t)h->unpaged);
    hits_put_unsearched(out, h->others, h->n_others);
    if (shown < r->n || r->more)
        answer_next(out, h->search->offset + shown, SIZE_MAX);
    if (r->total == 0)
        jsonw_put_strs(out->w, STR("suggestions"), r->suggestions, r->n_suggestions);
    if (r->total == 0 && h->note.n > 0)
        jsonw_put_str(w, STR("note"), h->note);
    jsonw_end(w);
}

const struct answer_shape hits_shape = {"hits", .json = hits_json, .text = hits_text,
                                        .term = hits_term};
