#include "vault/ask/dql_find.h"

#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/dql/dql.h"
#include "vault/forms/code_block.h"
#include "vault/index/file.h"
#include "vault/note/note.h"

enum { SHOWN = 80 };

/* Which blocks count: those of a section, or one by its number. */
struct dql_choice {
    struct span section;
    int64_t number; /* 0: any */
};

static bool dql_choose(struct arena *a, const struct file *f, str sub,
                       struct dql_choice *out, struct err *err)
{
    *out = (struct dql_choice){.section = {0, (uint32_t)f->text.n}};
    if (sub.n == 0)
        return true;
    const struct note_heading *h =
        note_find_heading(&f->note, arena_printf(a, "#" STR_FMT, STR_ARG(sub)));
    if (h != NULL)
        out->section = h->section;
    else if (!str_to_int(sub, &out->number) || out->number < 1)
        return err_named(
            err, E_HEADING_NOT_FOUND, "no heading '" STR_FMT "' in '" STR_FMT "'",
            STR_ARG(utf8_cut(sub, SHOWN)), STR_ARG(utf8_cut(f->path, SHOWN)));
    return true;
}

static bool dql_no_block(const struct file *f, struct err *err)
{
    uint32_t region = 0;
    struct span block;
    str path = utf8_cut(f->path, SHOWN);
    if (code_block_next(&f->note, STR("dataviewjs"), &region, &block))
        return err_named(err, E_INVALID_QUERY,
                         "'" STR_FMT
                         "' has only dataviewjs, which is JavaScript and is not "
                         "run: write the query with LIST, TABLE or TASK",
                         STR_ARG(path));
    return err_set(err, ERR_NOT_FOUND, "no dataview code block in '" STR_FMT "'",
                   STR_ARG(path));
}

static bool dql_find_block(struct arena *a, str sub, struct dql_found *out,
                           struct err *err)
{
    const struct note *n = &out->file->note;
    struct dql_choice chosen;
    struct span block;
    if (!dql_choose(a, out->file, sub, &chosen, err))
        return false;
    for (uint32_t i = 0; code_block_next(n, STR("dataview"), &i, &block);) {
        out->blocks++;
        if (out->number > 0 || block.start < chosen.section.start ||
            block.start >= chosen.section.end ||
            (chosen.number > 0 && (size_t)chosen.number != out->blocks))
            continue;
        out->number = out->blocks;
        out->text = code_block_text(a, n, block);
    }
    return out->number > 0 || dql_no_block(out->file, err);
}

/* Whether the word can be the name of a note, which has no signs of a query. */
static bool dql_may_be_name(str word)
{
    for (size_t i = 0; i < word.n; i++)
        if (str_find_char(STR("\"\n=<>"), word.p[i]) != STR_NONE)
            return false;
    return word.n > 0 && !dql_looks_like(word);
}

/* What is not the name of a note but begins like a query is one. */
bool dql_find(const struct index *x, struct arena *a, str word, struct dql_found *out,
              struct err *err)
{
    size_t hash = str_find_char(word, '#');
    str path = str_slice(word, 0, hash);
    str sub = hash != STR_NONE ? str_skip(word, hash + 1) : STR("");
    *out = (struct dql_found){.text = word};
    if (!dql_may_be_name(word))
        return true;
    if (find_file(x, a, path, &out->file, err))
        return dql_find_block(a, sub, out, err);
    return dql_begins(word);
}
