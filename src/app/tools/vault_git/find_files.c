#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"
#include "base/clock.h"
#include "vault/ask/lookup.h"
#include "vault/eval/value_date.h"

struct args {
    str path, name, tag, modified_after, modified_before;
    int64_t size_min, size_max, offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Directory to search in", .dflt = "\".\""),
    MCP_FIELD(struct args, name, MCP_STR, 0,
              "Part of the file's name, case ignored, or a glob such as \"2026-*.md\""),
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Only notes with this tag or a nested one"),
    MCP_FIELD(struct args, modified_after, MCP_STR, 0,
              "Date or time, e.g. \"2026-03-01\" or \"2026-03-01T08:00:00Z\""),
    MCP_FIELD(struct args, modified_before, MCP_STR, 0, "Likewise"),
    MCP_FIELD(struct args, size_min, MCP_INT, 0, "Bytes", .min = 0, .max = INT64_MAX),
    MCP_FIELD(struct args, size_max, MCP_INT, 0, "Bytes", .min = 0, .max = INT64_MAX),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

/* A moment as seconds since 1970; without a zone it is local time. */
static bool read_time(str text, const char *field, int64_t *out, struct err *err)
{
    struct date d;
    int ahead = clock_utc_offset(clock_now());
    if (text.n == 0)
        return true;
    if (date_parse(text, ahead, &d) != text.n)
        return err_named(err, E_INVALID_ARGUMENT,
                         "%s must be a date or time such as 2026-03-01 or "
                         "2026-03-01T08:00:00Z",
                         field);
    *out = d.seconds - ahead;
    return true;
}

static void find_files_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    const struct found_files *l = result;
    char when[CLOCK_ISO_SIZE];
    for (size_t i = 0; i < l->found.n; i++) {
        const struct fs_info *info = &l->found.items[i].file->info;
        sbuf_printf(out, STR_FMT "  (%lld bytes, modified: " STR_FMT ")\n",
                    STR_ARG(l->found.items[i].path), (long long)info->size,
                    STR_ARG(clock_iso(info->mtime, when)));
    }
    plain_end(out, l->offset + l->found.n, l->found.total, "No files found");
}

static const struct answer_shape find_files_shape = {.text = find_files_text};

static bool find_files_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct lookup l = {LOOKUP_ALL, .name = in->name, .tag = in->tag,
                       .offset = (size_t)in->offset, .limit = PLAIN_LINES};
    if (in->size_min != MCP_ABSENT)
        l.size_from = in->size_min;
    if (in->size_max != MCP_ABSENT)
        l.size_to = in->size_max;
    if (!plain_folder(call, in->path, &l.folder, err) ||
        !read_time(in->modified_after, "modified_after", &l.modified_from, err) ||
        !read_time(in->modified_before, "modified_before", &l.modified_to, err))
        return false;
    return plain_look(call, &l, &find_files_shape, err);
}

const struct mcp_tool tool_find_files = {
    .name = "find_files",
    .title = "Find Files",
    .about = "Files by name, tag, modification time and size (all that are given); one "
             "line each, with size and time.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = find_files_run,
};
