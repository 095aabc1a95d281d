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

bool proposed_request_read(struct arena *a, str text, struct proposed_request *out,
                           struct err *err)
{
    const struct json *j;
    *out = (struct proposed_request){0};
    if (!json_parse(a, text, &j, err))
        return false;
    if (!read_verb(j, &out->verb))
        return err_set(err, ERR_INVALID, "not a request about proposals");
    out->vault = json_get_str(j, STR("vault"));
    out->folder = json_get_str(j, STR("folder"));
    out->decision = (struct proposed_decision){.id = json_get_str(j, STR("id")),
                                               .choice = json_get_str(j, STR("choice")),
                                               .seen = json_get_str(j, STR("seen")),
                                               .by = json_get_str(j, STR("by")),
                                               .reason = json_get_str(j, STR("reason"))};
    const struct json *files = json_get(j, STR("files"));
    if (!json_is(files, JSON_ARRAY))
        return true;
    str *list = ARENA_ARRAY(a, str, files->n);
    for (const struct json *f = files->child; f != NULL; f = f->next)
        if (f->type != JSON_STRING)
            return err_set(err, ERR_INVALID, "a file is named by its path");
        else
            list[out->decision.n_files++] = f->text;
    out->decision.files = list;
    return true;
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
    int64_t code;
    str text = json_get_str(j, STR("error"));
    if (text.n == 0 || !json_int(json_get(j, STR("code")), &code))
        return false;
    if (json_get_true(j, STR("stale")))
        err_named(err, E_STALE, STR_FMT, STR_ARG(text));
    else
        err_set(err,
                code > ERR_NONE && code <= ERR_INTERNAL ? (enum err_code)code
                                                        : ERR_INTERNAL,
                STR_FMT, STR_ARG(text));
    return true;
}
