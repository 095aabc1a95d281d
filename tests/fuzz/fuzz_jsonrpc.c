/*
 * Lines on stdin, as a client might send them: each is answered, and nothing is leaked.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mcp/server.h"
#include "mcp/stdio.h"

static bool run(struct mcp_call *call, struct err *err)
{
    const struct json *answer = mcp_ask(call, STR("k"), STR("roots/list"), STR("{}"));
    mcp_progress(call, 1, 2, STR("m"));
    mcp_text(call, answer != NULL ? answer->raw : STR("none"));
    return true;
}

static bool key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    memset(out, 1, MCP_KEY_SIZE);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mcp_tool ask = {
        .name = "ask", .about = "a", .flags = MCP_QUICK, .run = run};
    static const struct mcp_tool *const tools[] = {&ask, NULL};
    struct pool *pool = pool_create(1, 16);
    struct mcp_server *server = mcp_server_create(&(struct mcp_config){.name = "f",
                                                                       .version = "1",
                                                                       .tools = tools,
                                                                       .pool = pool,
                                                                       .key = key,
                                                                       .tasks = true});
    int in = memfd_create("in", 0), out = open("/dev/null", O_WRONLY);
    if (write(in, data, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0)
        mcp_stdio_run(server, in, out, -1);
    close(in);
    close(out);
    pool_free(pool);
    mcp_server_free(server);
    return 0;
}
