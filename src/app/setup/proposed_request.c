#include "app/setup/proposed_request.h"

#include "base/sbuf.h"

static const char *const verbs[] = {[PROPOSED_LIST] = "list",
                                    [PROPOSED_SHOW] = "show",
                                    [PROPOSED_DECIDE] = "decide",
                                    [PROPOSED_LINK] = "link"};

/* --- requests --- */

str proposed_request_print(struct arena *a, const struct proposed_request *r)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    const struct proposed_decision *d = &r->decision;
    jsonw_object(&w);
    jsonw_put_str(&w, STR("do"), str_c(verbs[r->verb]));
    jsonw_put_text(&w, STR("vault"), r->vault);
    jsonw_put_text(&w, STR("folder"), r->folder);
    jsonw_put_text(&w, STR("id"), d->id);
    jsonw_put_text(&w, STR("choice"), d->choice);
    if (d->n_files > 0)
        jsonw_put_strs(&w, STR("files"), d->files, d->n_files);
    jsonw_put_text(&w, STR("seen"), d->seen);
    jsonw_put_text(&w, STR("by"), d->by);
    jsonw_put_text(&w, STR("reason"), d->reason);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static bool read_verb(const struct json *j, enum proposed_verb *out)
{
    str word = json_get_str(j, STR("do"));
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (str_eq(word, str_c(verbs[i]))) {
            *out = (enum proposed_verb)i;
            return true;
        }
    return false;
}

/* A member that is not what it must be is never left out: without it, the request would be about
 * more than was meant, such as all files. */
static bool read_request_text(const struct json *j, const char *name, str *out,
                              struct err *err)
{
    const struct json *member = json_get(j, str_c(name));
    return member == NULL || json_str(member, out) ||
           err_set(err, ERR_INVALID, "'%s' must be a text", name);
}

static bool read_request_files(struct arena *a, const struct json *files,
                               struct proposed_decision *out, struct err *err)
{
    if (files == NULL)
        return true;
    bool ok = json_is(files, JSON_ARRAY) && files->n > 0;
    str *list = ARENA_ARRAY(a, str, ok ? files->n : 0);
    for (const struct json *f = ok ? files->child : NULL; ok && f != NULL; f = f->next)
        ok = json_str(f, &list[out->n_files++]);
    out->files = list;
    return ok || err_set(err, ERR_INVALID,
                         "'files' must be a list of at least one file, "
                         "each by its path");
}

bool proposed_request_read(struct arena *a, str text, struct proposed_request *out,
                           struct err *err)
{
    const struct json *j;
    struct proposed_decision *d = &out->decision;
    *out = (struct proposed_request){0};
    if (!json_parse(a, text, &j, err))
        return false;
    if (!read_verb(j, &out->verb))
        return err_set(err, ERR_INVALID, "not a request about proposals");
    return read_request_text(j, "vault", &out->vault, err) &&
           read_request_text(j, "folder", &out->folder, err) &&
           read_request_text(j, "id", &d->id, err) &&
           read_request_text(j, "choice", &d->choice, err) &&
           read_request_text(j, "seen", &d->seen, err) &&
           read_request_text(j, "by", &d->by, err) &&
           read_request_text(j, "reason", &d->reason, err) &&
           read_request_files(a, json_get(j, STR("files")), d, err);
}

/* --- answers --- */

bool proposed_put_list(struct jsonw *w, struct arena *a, const struct proposed_place *p,
                       str name, struct err *err)
{
    struct proposal_row *rows;
    size_t n;
    if (!proposed_list(p, a, &rows, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        jsonw_object(w);
        jsonw_put_text(w, STR("vault"), name);
        proposed_put_row(w, &rows[i]);
        jsonw_end(w);
    }
    return true;
}

static bool answer_show(struct jsonw *w, struct arena *a, const struct proposed_place *p,
                        str name, const struct proposed_decision *d, struct err *err)
{
    struct proposed it;
    if (!proposed_read(p, a, d->id, d->choice, &it, err))
        return false;
    jsonw_object(w);
    jsonw_put_text(w, STR("vault"), name);
    proposed_put(w, a, &it);
    jsonw_end(w);
    return true;
}

static bool answer_decide(struct jsonw *w, struct arena *a,
                          const struct proposed_place *p, str name,
                          const struct proposed_decision *d, struct err *err)
{
    struct proposed_outcome done;
    struct proposed it;
    if (!proposed_decide(p, a, d, &done, err) ||
        !proposed_read(p, a, d->id, STR(""), &it, err))
        return false;
    jsonw_object(w);
    jsonw_put_text(w, STR("vault"), name);
    proposed_put_row(w, &it.row);
    if (done.merged > 0)
        jsonw_put_int(w, STR("merged"), (int64_t)done.merged);
    jsonw_end(w);
    return true;
}

bool proposed_answer(struct jsonw *w, struct arena *a, const struct proposed_place *p,
                     str name, const struct proposed_request *r, struct err *err)
{
    return r->verb == PROPOSED_DECIDE ? answer_decide(w, a, p, name, &r->decision, err)
                                      : answer_show(w, a, p, name, &r->decision, err);
}

/* --- failures --- */

void proposed_put_error(struct jsonw *w, const struct err *err)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("error"), str_c(err->msg));
    jsonw_put_int(w, STR("code"), err->code);
    jsonw_put_true(w, STR("stale"), err->name == E_STALE);
    jsonw_end(w);
}

bool proposed_read_error(const struct json *j, struct err *err)
{
    int64_t code = ERR_NONE;
    str text = json_get_str(j, STR("error"));
    if (text.n == 0)
        return false;
    (void)json_int(json_get(j, STR("code")), &code);
    if (json_get_true(j, STR("stale")))
        err_named(err, E_STALE, STR_FMT, STR_ARG(text));
    else
        err_set(err,
                code > ERR_NONE && code <= ERR_INTERNAL ? (enum err_code)code
                                                        : ERR_INTERNAL,
                STR_FMT, STR_ARG(text));
    return true;
}
