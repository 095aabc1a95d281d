#include "app/answers/listed.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "app/answers/why_none.h"
#include "base/clock.h"
#include "base/path.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

/* A line with the size or the number of entries, then time and name. */
static void listed_put_line(struct term *t, str size, str when, enum term_style style,
                            str name, const char *end)
{
    enum { SIZE_COLUMNS = 9 };
    term_right(t, TERM_FAINT, size, SIZE_COLUMNS);
    term_put(t, TERM_PLAIN, STR("  "));
    term_left(t, TERM_FAINT, when, TERM_WHEN);
    term_put(t, TERM_PLAIN, STR("  "));
    term_put(t, style, name);
    term_put(t, TERM_PLAIN, str_c(end));
}

static void put_file_line(struct term *t, const struct fs_info *info, str name)
{
    struct arena *a = t->out.arena;
    listed_put_line(t, term_size(a, info->size), term_when(t, info->mtime), TERM_PLAIN,
                    name, "\n");
}

/* Size and time, on request. */
static void listed_text_details(struct model_text *s, const struct fs_info *info)
{
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, "  %lld bytes, " STR_FMT, (long long)info->size,
                STR_ARG(clock_iso(info->mtime, when)));
}

/* --- a folder --- */

void folder_put(struct answer_out *out, const void *result, size_t i)
{
    const struct folder_listed *f = result;
    const struct vault_entry *e = &f->found.entries[f->offset + i];
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), e->name);
    if (e->info.type == FS_FOLDER) {
        jsonw_put_str(out->w, STR("type"), STR("folder"));
        jsonw_put_int(out->w, STR("children"), (int64_t)e->children);
    } else {
        jsonw_put_str(out->w, STR("type"), STR("file"));
        jsonw_put_int(out->w, STR("size"), e->info.size);
        jsonw_put_str(out->w, STR("modified"), clock_iso(e->info.mtime, when));
    }
    jsonw_end(out->w);
}

static void folder_json(struct answer_out *out, const void *result)
{
    const struct folder_listed *f = result;
    size_t n = f->found.n, left = f->offset < n ? n - f->offset : 0;
    jsonw_object(out->w);
    jsonw_key(out->w, STR("path"));
    jsonw_printf(out->w, "/" STR_FMT, STR_ARG(f->found.path));
    size_t shown = answer_items(out, STR("entries"), f, left, folder_put);
    jsonw_put_int(out->w, STR("total_entries"), (int64_t)n);
    answer_next(out, f->offset + shown, n);
    jsonw_end(out->w);
}

static void folder_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct folder_listed *f = result;
    const struct vault_entry *e = &f->found.entries[f->offset + i];
    sbuf_printf(s->out, STR_FMT, STR_ARG(e->name));
    if (e->info.type == FS_FOLDER)
        sbuf_printf(s->out, "/ (%zu)", e->children);
    else if (f->details)
        listed_text_details(s, &e->info);
    sbuf_char(s->out, '\n');
}

static void folder_text(struct model_text *s, const void *result)
{
    const struct folder_listed *f = result;
    size_t n = f->found.n, left = f->offset < n ? n - f->offset : 0;
    sbuf_printf(s->out, "/" STR_FMT ": ", STR_ARG(f->found.path));
    mt_count(s, n, "entry", "entries");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, f, left, folder_text_one);
    mt_next(s, f->offset + shown, n);
}

static void folder_term(struct term *t, const void *result)
{
    const struct folder_listed *f = result;
    for (size_t i = f->offset; i < f->found.n; i++) {
        const struct vault_entry *e = &f->found.entries[i];
        if (e->info.type != FS_FOLDER)
            put_file_line(t, &e->info, e->name);
        else
            listed_put_line(t, arena_printf(t->out.arena, "%zu", e->children), STR(""),
                            TERM_STRONG, e->name, "/\n");
    }
}

const struct answer_shape folder_shape = {"folder", .json = folder_json,
                                          .text = folder_text, .term = folder_term};

/* --- files --- */

bool listed_find(struct vault *v, const struct index *x, struct arena *a,
                 const struct filter_request *request, size_t offset, size_t limit,
                 struct listed *out, struct err *err)
{
    struct filter filter = {0};
    *out = (struct listed){.arena = a, .offset = offset};
    bool ok = filter_open(&filter, x, a, request, err);
    size_t n = ok ? index_sorted(x, a, &out->files) : 0;
    for (size_t i = 0; i < n; i++) {
        if (!filter_takes(&filter, out->files[i]))
            continue;
        if (out->total++ >= offset && out->n < limit)
            out->files[out->n++] = out->files[i];
    }
    filter_release(&filter);
    if (ok && out->total == 0)
        out->note = why_none(x, a, request->folder, request->tag);
    return ok;
}

void listed_put(struct answer_out *out, const void *result, size_t i)
{
    const struct listed *l = result;
    const struct file *f = l->files[i];
    char when[CLOCK_ISO_SIZE];
    struct str_list tags = file_property_tags(l->arena, f);
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), f->path);
    jsonw_put_int(out->w, STR("size"), f->info.size);
    jsonw_put_str(out->w, STR("modified"), clock_iso(f->info.mtime, when));
    jsonw_put_strs(out->w, STR("tags"), tags.items, tags.n);
    jsonw_end(out->w);
}

static void listed_json(struct answer_out *out, const void *result)
{
    const struct listed *l = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total_files"), (int64_t)l->total);
    size_t shown = answer_items(out, STR("files"), l, l->n, listed_put);
    answer_next(out, l->offset + shown, l->total);
    jsonw_put_text(out->w, STR("note"), l->note);
    jsonw_end(out->w);
}

/* The folders of path that are not those of the one before, each on its own line. */
static void listed_text_folders(struct model_text *s, str before, str path)
{
    size_t depth = 0, from = 0;
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '/')
            continue;
        str folder = str_slice(path, 0, i + 1);
        if (!str_starts(before, folder))
            sbuf_printf(s->out, "%*s" STR_FMT "\n", (int)(2 * depth), "",
                        STR_ARG(str_skip(folder, from)));
        from = i + 1;
        depth++;
    }
}

static void listed_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct listed *l = result;
    const struct file *f = l->files[i];
    str name = path_name(f->path);
    size_t depth = 0;
    listed_text_folders(s, i > 0 ? l->files[i - 1]->path : STR(""), f->path);
    for (size_t k = 0; k < f->path.n; k++)
        depth += f->path.p[k] == '/';
    sbuf_printf(s->out, "%*s" STR_FMT, (int)(2 * depth), "", STR_ARG(name));
    if (l->details) {
        struct str_list tags = file_property_tags(l->arena, f);
        listed_text_details(s, &f->info);
        sbuf_add(s->out, tags.n > 0 ? STR(", tags ") : STR(""));
        mt_list(s, tags.items, tags.n);
    }
    sbuf_char(s->out, '\n');
}

/* A tree: what is in a folder is indented below it. */
static void listed_text(struct model_text *s, const void *result)
{
    const struct listed *l = result;
    mt_count(s, l->total, "file", "files");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, l, l->n, listed_text_one);
    mt_next(s, l->offset + shown, l->total);
    mt_note(s, l->note);
}

static void listed_term(struct term *t, const void *result)
{
    const struct listed *l = result;
    for (size_t i = 0; i < l->n; i++)
        put_file_line(t, &l->files[i]->info, l->files[i]->path);
}

const struct answer_shape listed_shape = {"listed", .json = listed_json,
                                          .text = listed_text, .term = listed_term};
