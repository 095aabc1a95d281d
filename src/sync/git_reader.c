/* Objects of the repository, through one "git cat-file --batch-command"; a git before 2.36
 * has two programs instead, for contents and for sizes. */
#include "base/array.h"
#include "base/encode.h"
#include "base/process.h"
#include "sync/git.h"

enum { USAGE_CODE = 129 }; /* of a git that does not know an option */

void git_reader_init(struct git_reader *r, const struct git *g)
{
    *r = (struct git_reader){.g = g};
    r->known.arena = &r->arena;
}

static void git_reader_end(struct process_session **s, struct arena *a,
                           struct process_result *out)
{
    if (*s != NULL)
        process_close(*s, a, out);
    *s = NULL;
}

void git_reader_close(struct git_reader *r)
{
    bool old = r->old;
    for (size_t i = 0; i < COUNT_OF(r->sessions); i++)
        git_reader_end(&r->sessions[i], NULL, NULL);
    arena_release(&r->arena);
    git_reader_init(r, r->g);
    r->old = old;
}

/* --- asking --- */

enum git_type { GIT_MISSING, GIT_IS_BLOB, GIT_IS_TREE, GIT_IS_COMMIT, GIT_IS_OTHER };

struct git_object {
    enum git_type type;
    size_t size, at; /* of its content in the answer */
    str text;
};

struct asking {
    const str *ids;
    struct git_object *found;
    size_t n, done;
    size_t at; /* of the next answer */
    bool contents;
    bool broken; /* an answer is not to what was asked */
};

static enum git_type git_reader_type_of(str name)
{
    return str_eq(name, STR("blob"))     ? GIT_IS_BLOB
           : str_eq(name, STR("tree"))   ? GIT_IS_TREE
           : str_eq(name, STR("commit")) ? GIT_IS_COMMIT
                                         : GIT_IS_OTHER;
}

/* "ID TYPE SIZE" or "ID missing". */
static bool parse_header(str line, str id, struct git_object *out)
{
    str word = {0}, type = {0};
    int64_t size;
    *out = (struct git_object){.type = GIT_MISSING};
    if (!str_next(&line, ' ', &word) || !str_eq(word, id))
        return false;
    if (str_eq(line, STR("missing")))
        return true;
    if (!str_next(&line, ' ', &type) || !str_to_int(line, &size) || size < 0)
        return false;
    out->type = git_reader_type_of(type);
    out->size = (size_t)size;
    return true;
}

/* Take the answers that are complete. Texts are found by their offset, because the buffer
 * moves. */
static bool take_answers(void *arg, str answer)
{
    struct asking *q = arg;
    for (; q->done < q->n && !q->broken; q->done++) {
        struct git_object *o = &q->found[q->done];
        str rest = str_skip(answer, q->at);
        size_t end = str_find_char(rest, '\n');
        if (end == STR_NONE)
            return false;
        q->broken = !parse_header(str_slice(rest, 0, end), q->ids[q->done], o);
        size_t more = q->contents && o->type != GIT_MISSING ? size_add(o->size, 1) : 0;
        if (!q->broken && rest.n - end - 1 < more)
            return false;
        o->at = q->at + end + 1;
        q->at = o->at + more;
    }
    return true;
}

/* The program that answers: the same for both questions, unless git is old. */
static struct process_session **git_reader_session(struct git_reader *r, bool contents)
{
    return &r->sessions[r->old && contents];
}

static bool git_reader_start(struct git_reader *r, bool contents, struct err *err)
{
    struct process_session **s = git_reader_session(r, contents);
    const char *how = !r->old    ? "--batch-command"
                      : contents ? "--batch"
                                 : "--batch-check";
    return *s != NULL || git_start(r->g, GIT_ARGS("cat-file", how), s, err);
}

static bool print_request(const struct git_reader *r, const struct asking *q,
                          struct sbuf *out, struct err *err)
{
    const char *command = r->old ? "" : q->contents ? "contents " : "info ";
    for (size_t i = 0; i < q->n; i++) {
        if (!git_is_id(r->g, q->ids[i]))
            return err_set(err, ERR_INTERNAL, "an id of the repository is damaged");
        sbuf_printf(out, "%s" STR_FMT "\n", command, STR_ARG(q->ids[i]));
    }
    return true;
}

/* *again: git does not know the option, so it is an old one. */
static bool try_request(struct git_reader *r, struct arena *a, struct asking *q,
                        str *answer, bool *again, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    struct process_result end;
    *again = false;
    if (!print_request(r, q, &in, err) || !git_reader_start(r, q->contents, err))
        return false;
    struct process_session **s = git_reader_session(r, q->contents);
    if (process_ask(*s, a, sbuf_str(&in), take_answers, q, answer, err))
        return true;
    git_reader_end(s, a, &end);
    *again = !r->old && end.code == USAGE_CODE;
    return err->code == ERR_BUSY ? git_complain(r->g, a, "cat-file", &end, err) : false;
}

static bool send_request(struct git_reader *r, struct arena *a, struct asking *q,
                         str *answer, struct err *err)
{
    bool again;
    if (try_request(r, a, q, answer, &again, err))
        return true;
    r->old = r->old || again;
    return again && try_request(r, a, q, answer, &again, err);
}

static bool ask_objects(struct git_reader *r, struct arena *a, const str *ids, size_t n,
                        bool contents, struct git_object *found, struct err *err)
{
    struct asking q = {.ids = ids, .found = found, .n = n, .contents = contents};
    str answer;
    if (n == 0)
        return true;
    if (!send_request(r, a, &q, &answer, err))
        return false;
    if (q.broken) { /* what else it says belongs to no request */
        git_reader_end(git_reader_session(r, contents), NULL, NULL);
        return err_set(err, ERR_INTERNAL, "git answered something else than was asked");
    }
    for (size_t i = 0; contents && i < n; i++)
        found[i].text = str_slice(str_skip(answer, found[i].at), 0, found[i].size);
    return true;
}

/* --- blobs --- */

static bool are_blobs(const struct git_object *found, const str *ids, size_t n,
                      struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (found[i].type != GIT_IS_BLOB)
            return err_set(err, ERR_INTERNAL, "missing from the repository: " STR_FMT,
                           STR_ARG(ids[i]));
    return true;
}

bool git_get_blobs(struct git_reader *r, struct arena *a, const str *ids, size_t n,
                   str *texts, struct err *err)
{
    struct git_object *found = ARENA_ARRAY(a, struct git_object, n + 1);
    if (!ask_objects(r, a, ids, n, true, found, err) || !are_blobs(found, ids, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        texts[i] = found[i].text;
    return true;
}

bool git_blob_sizes(struct git_reader *r, struct arena *a, const str *ids, size_t n,
                    size_t *sizes, struct err *err)
{
    struct git_object *found = ARENA_ARRAY(a, struct git_object, n + 1);
    if (!ask_objects(r, a, ids, n, false, found, err) || !are_blobs(found, ids, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        sizes[i] = found[i].size;
    return true;
}

/* --- commits --- */

/* The content of a commit or tree, which is read once; empty if it is missing. */
static bool read_known(struct git_reader *r, str id, enum git_type type, str *text,
                       struct err *err)
{
    uint32_t number = map_find(&r->known, id);
    struct git_object o;
    if (number != MAP_NONE) {
        *text = r->texts[number];
        return true;
    }
    if (!ask_objects(r, &r->arena, &id, 1, true, &o, err))
        return false;
    *text = o.type == type ? o.text : (str){0};
    map_add(&r->known, arena_str(&r->arena, id));
    *ARRAY_ADD(&r->arena, r->texts, r->n_texts) = *text;
    return true;
}

/* "NAME <EMAIL> TIME ZONE" */
static str name_in(str person)
{
    size_t end = str_find_char(person, '<');
    return str_trim(str_slice(person, 0, end == STR_NONE ? person.n : end));
}

/* A field of a commit that starts with these words, without them. */
static bool git_reader_is_field(str *line, const char *words)
{
    bool is = str_starts(*line, str_c(words));
    if (is)
        *line = str_skip(*line, strlen(words));
    return is;
}

/* The tree is in the first line and the parents follow, as git reads it: what a hostile remote
 * has in later lines of these names is nothing. */
bool git_read_commit(struct git_reader *r, struct arena *a, str id,
                     struct git_commit_info *out, struct err *err)
{
    str text, line;
    *out = (struct git_commit_info){0};
    if (!read_known(r, id, GIT_IS_COMMIT, &text, err))
        return false;
    if (str_next(&text, '\n', &line) && git_reader_is_field(&line, "tree "))
        out->tree = line;
    bool goes_on = str_next(&text, '\n', &line);
    for (; goes_on && git_reader_is_field(&line, "parent ");
         goes_on = str_next(&text, '\n', &line))
        *ARRAY_ADD(a, out->parents, out->n) = line;
    for (; goes_on && line.n > 0; goes_on = str_next(&text, '\n', &line)) {
        if (git_reader_is_field(&line, "author "))
            out->author = name_in(line);
        else if (git_reader_is_field(&line, "encoding "))
            out->recoded = true;
    }
    return true;
}

/* --- trees --- */

bool git_read_tree(struct git_reader *r, str id, str *text, struct err *err)
{
    return read_known(r, id, GIT_IS_TREE, text, err);
}

bool git_next_entry(const struct git *g, str *tree, str *mode, str *name, str *id)
{
    size_t bytes = g->sha256 ? 32 : 20;
    if (!str_next(tree, ' ', mode) || !str_next(tree, '\0', name) || tree->n < bytes)
        return false;
    *id = str_slice(*tree, 0, bytes);
    *tree = str_skip(*tree, bytes);
    return true;
}

/* The entry with this name of the tree. */
static bool find_in_tree(struct git_reader *r, struct arena *a, str tree, str wanted,
                         struct git_entry *out, struct err *err)
{
    str text, mode, name, id;
    *out = (struct git_entry){0};
    if (!git_read_tree(r, tree, &text, err))
        return false;
    while (text.n > 0 && git_next_entry(r->g, &text, &mode, &name, &id))
        if (str_eq(name, wanted)) {
            *out = (struct git_entry){.id = encode_hex(a, id), .mode = git_mode(mode)};
            break;
        }
    return true;
}

bool git_find(struct git_reader *r, struct arena *a, str commit, str path,
              struct git_entry *out, struct err *err)
{
    struct git_commit_info info;
    str name, rest = path;
    *out = (struct git_entry){0};
    if (commit.n == 0)
        return true;
    if (!git_read_commit(r, a, commit, &info, err))
        return false;
    if (info.tree.n == 0)
        return err_set(err, ERR_INTERNAL, "missing from the repository: " STR_FMT,
                       STR_ARG(commit));
    *out = (struct git_entry){.id = info.tree, .mode = GIT_TREE};
    while (path.n > 0 && out->mode == GIT_TREE && str_next(&rest, '/', &name))
        if (!find_in_tree(r, a, out->id, name, out, err))
            return false;
    if (rest.n > 0 && out->mode != GIT_TREE)
        out->mode = 0; /* a file where a folder is wanted */
    out->path = path;
    return true;
}
