/* A session id that this server did not issue is never accepted. */
#include "base/pool.h"
#include "mcp/core.h"
#include "mcp/server.h"
#include "mcp/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool give_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    memset(out, 7, MCP_KEY_SIZE);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mcp_server *server;
    static struct mcp_sessions sessions;
    static char good[SESSION_ID_SIZE];
    struct mcp_session session;
    struct err err;
    if (server == NULL) {
        server = mcp_server_create(&(struct mcp_config){
            .name = "s", .version = "1", .pool = pool_create(1, 1), .key = give_key});
        sessions_init(&sessions, mcp_server_key, server);
        struct mcp_client client = {.revision = MCP_NEWEST_LEGACY};
        if (!session_issue(&sessions, &client, STR("alice"), good, &err))
            BUG("%s", err.msg);
    }
    str id = {(const char *)data, size};
    if (session_read(&sessions, id, STR("alice"), &session))
        BUG("a made-up id");
    char near[SESSION_ID_SIZE];
    memcpy(near, good, sizeof(near));
    size_t n = strlen(good);
    for (size_t i = 0; i + 1 < size; i += 2)
        near[data[i] % n] = (char)data[i + 1];
    if (session_read(&sessions, (str){near, n}, STR("alice"), &session) &&
        strcmp(near, good) != 0)
        BUG("'%s' instead of '%s'", near, good);
    if (session_read(&sessions, str_c(good), id, &session) && !str_eq(id, STR("alice")))
        BUG("the session of another user");
    return 0;
}
