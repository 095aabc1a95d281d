#include "mcp/client.h"

#include <stdio.h>

#include "base/text.h"
#include "base/utf8.h"
#include "mcp/jsonrpc.h"
#include "mcp/revision.h"

#define KEY_VERSION STR(MCP_META "protocolVersion")
#define KEY_CAPABILITIES STR(MCP_META "clientCapabilities")
#define KEY_INFO STR(MCP_META "clientInfo")
#define KEY_LOG_LEVEL STR(MCP_META "logLevel")

static const char *const level_names[] = {
    [MCP_LOG_DEBUG] = "debug",   [MCP_LOG_INFO] = "info",
    [MCP_LOG_NOTICE] = "notice", [MCP_LOG_WARNING] = "warning",
    [MCP_LOG_ERROR] = "error",   [MCP_LOG_CRITICAL] = "critical",
    [MCP_LOG_ALERT] = "alert",   [MCP_LOG_EMERGENCY] = "emergency",
};

bool mcp_log_level_find(str name, enum mcp_log_level *out)
{
    for (size_t i = 0; i < COUNT_OF(level_names); i++) {
        if (str_eq(name, str_c(level_names[i]))) {
            *out = (enum mcp_log_level)i;
            return true;
        }
    }
    return false;
}

str mcp_log_level_name(enum mcp_log_level level)
{
    return str_c(level_names[level]);
}

/* Each capability: its path in the object, and the object that declares it. */
static const struct {
    enum mcp_can can;
    const char *key, *inner;
    const char *declared;
} capabilities[] = {
    {MCP_CAN_ELICIT_URL, "elicitation", "url", "{\"elicitation\":{\"url\":{}}}"},
    {MCP_CAN_ELICIT, "elicitation", "form", "{\"elicitation\":{\"form\":{}}}"},
    {MCP_CAN_SAMPLE, "sampling", NULL, "{\"sampling\":{}}"},
    {MCP_CAN_SAMPLE_TOOLS, "sampling", "tools", "{\"sampling\":{\"tools\":{}}}"},
    {MCP_CAN_LIST_ROOTS, "roots", NULL, "{\"roots\":{}}"},
    {MCP_CAN_TASKS, "extensions", MCP_META "tasks",
     "{\"extensions\":{\"" MCP_META "tasks\":{}}}"},
    {MCP_CAN_SHOW_UI, "extensions", MCP_META "ui",
     "{\"extensions\":{\"" MCP_META "ui\":{}}}"},
};

unsigned mcp_read_capabilities(const struct json *declared)
{
    unsigned can = 0;
    for (size_t i = 0; i < COUNT_OF(capabilities); i++) {
        const struct json *j = json_get(declared, str_c(capabilities[i].key));
        if (j != NULL && capabilities[i].inner != NULL)
            j = json_get(j, str_c(capabilities[i].inner));
        if (json_is(j, JSON_OBJECT))
            can |= capabilities[i].can;
    }
    /* an empty elicitation object means form mode */
    const struct json *elicitation = json_get(declared, STR("elicitation"));
    if (json_is(elicitation, JSON_OBJECT) && (can & MCP_CAN_ELICIT_URL) == 0)
        can |= MCP_CAN_ELICIT;
    return can;
}

const char *mcp_capability_json(enum mcp_can can)
{
    for (size_t i = 0; i < COUNT_OF(capabilities); i++)
        if (capabilities[i].can == can)
            return capabilities[i].declared;
    return "{}";
}

static bool bad_key(struct rpc_error *bad, str key, const char *what)
{
    return rpc_fail(bad, RPC_INVALID_PARAMS, "params._meta[\"" STR_FMT "\"] %s",
                    STR_ARG(key), what);
}

/* One line of valid UTF-8, whatever the client sent. */
static void set_label(struct mcp_client *client, str name, str version)
{
    char *label = client->label;
    snprintf(label, MCP_LABEL_SIZE, STR_FMT "%s" STR_FMT, STR_ARG(name),
             name.n > 0 && version.n > 0 ? " " : "", STR_ARG(version));
    label[utf8_valid_prefix(str_c(label))] = '\0';
    for (; *label != '\0'; label++)
        if ((unsigned char)*label < ' ' || *label == 0x7f)
            *label = ' ';
}

static bool read_info(const struct json *info, struct mcp_client *client)
{
    str name, version;
    if (!json_is(info, JSON_OBJECT) || !json_str(json_get(info, STR("name")), &name) ||
        !json_str(json_get(info, STR("version")), &version))
        return false;
    set_label(client, name, version);
    return true;
}

static bool read_envelope(const struct json *meta, struct mcp_client *client,
                          str *version, struct rpc_error *bad)
{
    if (!json_str(json_get(meta, KEY_VERSION), version))
        return bad_key(bad, KEY_VERSION, "must be a string");
    const struct json *declared = json_get(meta, KEY_CAPABILITIES);
    if (!json_is(declared, JSON_OBJECT))
        return bad_key(bad, KEY_CAPABILITIES,
                       declared == NULL ? "is missing" : "must be an object");
    client->can = mcp_read_capabilities(declared);
    const struct json *info = json_get(meta, KEY_INFO);
    if (info != NULL && !read_info(info, client))
        return bad_key(bad, KEY_INFO, "must be an object with name and version");
    const struct json *level = json_get(meta, KEY_LOG_LEVEL);
    str name;
    if (level != NULL &&
        !(json_str(level, &name) && mcp_log_level_find(name, &client->log_level)))
        return bad_key(bad, KEY_LOG_LEVEL, "must be a log level such as \"info\"");
    return true;
}

static enum mcp_claim unsupported(struct arena *a, str version, struct rpc_error *bad)
{
    rpc_fail(bad, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
    struct sbuf data = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&data);
    jsonw_object(&w);
    jsonw_put_array(&w, STR("supported"));
    for (enum mcp_revision r = MCP_OLDEST_MODERN; r < MCP_REVISIONS; r++)
        jsonw_str(&w, mcp_revision_name(r));
    jsonw_end(&w);
    jsonw_put_str(&w, STR("requested"), version);
    jsonw_end(&w);
    bad->data = sbuf_str(&data);
    return MCP_CLAIM_UNSUPPORTED;
}

enum mcp_claim mcp_read_claim(struct arena *a, const struct json *params,
                              struct mcp_client *client, str *version,
                              struct rpc_error *bad)
{
    const struct json *meta = json_get(params, STR("_meta"));
    if (json_get(meta, KEY_VERSION) == NULL)
        return MCP_NO_CLAIM;
    struct mcp_client read = {.log_level = MCP_LOG_OFF};
    if (!read_envelope(meta, &read, version, bad))
        return MCP_CLAIM_BROKEN;
    read.revision = mcp_revision_find(*version);
    if (!mcp_is_modern(read.revision))
        return unsupported(a, *version, bad);
    *client = read;
    return MCP_CLAIM_VALID;
}

/* Lower-case hex digits, not all of them 0. */
static bool is_trace_part(str hex, size_t n)
{
    bool zero = true;
    for (size_t i = 0; i < hex.n; i++) {
        char c = hex.p[i];
        if (!is_digit(c) && (c < 'a' || c > 'f'))
            return false;
        zero = zero && c == '0';
    }
    return hex.n == n && !zero;
}

/* "version-id-parent-flags"; later versions may have more after that. */
str mcp_read_trace(const struct json *params)
{
    str all = json_get_str(json_get(params, STR("_meta")), STR("traceparent"));
    str version, id, parent;
    bool ok = str_next(&all, '-', &version) && str_next(&all, '-', &id) &&
              str_next(&all, '-', &parent) && version.n == 2 &&
              !str_eq(version, STR("ff")) && is_trace_part(id, 32) &&
              is_trace_part(parent, 16) && all.n >= 2;
    return ok ? id : (str){0};
}

bool mcp_missing_envelope(const struct json *params, struct rpc_error *bad)
{
    if (!json_is(json_get(params, STR("_meta")), JSON_OBJECT))
        return rpc_fail(bad, RPC_INVALID_PARAMS,
                        "params._meta is missing: send " MCP_META
                        "protocolVersion and " MCP_META
                        "clientCapabilities in it, or begin with initialize");
    return rpc_fail(bad, RPC_INVALID_PARAMS,
                    "params._meta lacks " MCP_META "protocolVersion (and " MCP_META
                    "clientCapabilities); or begin with initialize");
}

bool mcp_read_initialize(const struct json *params, struct mcp_client *client,
                         struct rpc_error *bad)
{
    str version;
    if (!json_str(json_get(params, STR("protocolVersion")), &version))
        return rpc_fail(bad, RPC_INVALID_PARAMS,
                        "initialize needs protocolVersion (a string)");
    const struct json *declared = json_get(params, STR("capabilities"));
    if (declared != NULL && !json_is(declared, JSON_OBJECT))
        return rpc_fail(bad, RPC_INVALID_PARAMS, "capabilities must be an object");
    *client = (struct mcp_client){.log_level = MCP_LOG_DEBUG};
    read_info(json_get(params, STR("clientInfo")), client);
    client->can = mcp_read_capabilities(declared) & ~(unsigned)MCP_CAN_TASKS;
    client->revision = mcp_revision_find(version);
    if (client->revision == MCP_NO_REVISION || mcp_is_modern(client->revision))
        client->revision = MCP_NEWEST_LEGACY;
    return true;
}
