#include "vault/ask/dql_find.h"

#include "base/utf8.h"
#include "vault/ask/block_choice.h"
#include "vault/ask/find.h"
#include "vault/dql/dql.h"
#include "vault/forms/code_block.h"
#include "vault/index/file.h"
#include "vault/note/note.h"

enum { SHOWN = 80 };

#define DATAVIEWJS "dataviewjs"
#define NO_SCRIPT                                                                        \
    DATAVIEWJS ", which is JavaScript and is not run: write the query with LIST, TABLE " \
               "or TASK"

static bool dql_no_block(const struct file *f, struct err *err)
{
    uint32_t region = 0;
    struct span block;
    str path = utf8_cut(f->path, SHOWN);
    if (code_block_next(&f->note, STR(DATAVIEWJS), &region, &block))
        return err_named(err, E_INVALID_QUERY, "'" STR_FMT "' has only " NO_SCRIPT,
                         STR_ARG(path));
    return err_set(err, ERR_NOT_FOUND, "no dataview code block in '" STR_FMT "'",
                   STR_ARG(path));
}

static bool dql_find_block(struct arena *a, str sub, struct dql_found *out,
                           struct err *err)
{
    const struct note *n = &out->file->note;
    struct block_choice chosen;
    struct span block;
    if (!block_choose(out->file, a, sub, &chosen, err))
        return false;
    for (uint32_t i = 0; code_block_next(n, STR("dataview"), &i, &block);) {
        out->blocks++;
        if (out->number > 0 || !block_is_chosen(&chosen, block, out->blocks))
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

/* A query with the fences of a code block around it. */
static bool dql_find_pasted(struct arena *a, const struct note *n, struct span block,
                            struct dql_found *out, struct err *err)
{
    if (str_eq(code_block_language(n, block), STR(DATAVIEWJS)))
        return err_named(err, E_INVALID_QUERY, "query: this is " NO_SCRIPT);
    out->text = code_block_text(a, n, block);
    return true;
}

/* What is not the name of a note but begins like a query is one. */
bool dql_find(const struct index *x, struct arena *a, str word, struct dql_found *out,
              struct err *err)
{
    struct note pasted;
    struct span block;
    size_t hash = str_find_char(word, '#');
    str path = str_slice(word, 0, hash);
    str sub = hash != STR_NONE ? str_skip(word, hash + 1) : STR("");
    *out = (struct dql_found){.text = word};
    if (code_block_pasted(a, word, &pasted, &block))
        return dql_find_pasted(a, &pasted, block, out, err);
    if (str_starts(str_trim_line(word), STR("dv.")))
        return err_named(err, E_INVALID_QUERY, "query: this is " NO_SCRIPT);
    if (!dql_may_be_name(word))
        return true;
    if (find_file(x, a, path, &out->file, err))
        return dql_find_block(a, sub, out, err);
    return dql_begins(word) ||
           find_neither("a query, which begins with LIST, TABLE or TASK", err);
}
