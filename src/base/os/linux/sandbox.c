/*
 * Landlock through its system calls: glibc has no wrappers, and the headers of Debian 12
 * stop at version 2, so names and layouts are defined here, as in
 * Documentation/userspace-api.
 */
#include "base/os/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/os/linux/sandbox_calls.h"

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_MAKE_SOCK = 1 << 9,
    FS_MAKE_SYM = 1 << 12,
    FS_ALL_OF_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     /* version 2: move to another folder */
    FS_TRUNCATE = 1 << 14,  /* 3 */
    FS_IOCTL_DEV = 1 << 15, /* 5 */
    FS_OF_A_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,

    NET_BIND_TCP = 1 << 0, /* 4 */
    NET_CONNECT_TCP = 1 << 1,

    SCOPE_ABSTRACT = 1 << 0, /* 6 */
    SCOPE_SIGNAL = 1 << 1,
};

/* Earlier versions forbid moving files between folders, which a vault needs. */
enum { OLDEST = 2 };

enum { GET_VERSION = 1, RULE_PATH = 1, RULE_PORT = 2 };

struct ruleset {
    uint64_t files, ports, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct port_rule {
    uint64_t allowed, port;
};

static const struct {
    unsigned right;
    uint64_t files;
} meanings[] = {
    {SANDBOX_READ, FS_READ_FILE | FS_READ_DIR},
    {SANDBOX_RUN, FS_READ_FILE | FS_READ_DIR | FS_EXECUTE},
    {SANDBOX_USE, FS_WRITE_FILE},
    {SANDBOX_CHANGE, FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE |
                         FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG |
                         FS_MAKE_SOCK | FS_MAKE_SYM | FS_REFER},
    {SANDBOX_SOCKET, FS_MAKE_SOCK | FS_REMOVE_FILE},
    {SANDBOX_ADD, FS_WRITE_FILE | FS_MAKE_REG},
};

static int version(void)
{
    long v = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, GET_VERSION);
    return v > 0 ? (int)v : 0;
}

/* Everything that the kernel can refuse and we know of; the rules are the exceptions. */
static struct ruleset refused(int version, const struct sandbox *request)
{
    struct ruleset r = {.files = FS_ALL_OF_1 | FS_REFER};
    if (version >= 3)
        r.files |= FS_TRUNCATE;
    if (version >= 4)
        r.ports = NET_BIND_TCP | (request->connects ? 0 : NET_CONNECT_TCP);
    if (version >= 5)
        r.files |= FS_IOCTL_DEV;
    if (version >= 6)
        r.scoped = SCOPE_SIGNAL | (request->abstract ? 0 : SCOPE_ABSTRACT);
    return r;
}

static void allow_path(int set, const struct sandbox_rule *rule, uint64_t known)
{
    struct path_rule add = {0};
    struct stat st;
    AUTO_CLOSE int fd = open(rule->path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return;
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if ((rule->rights & meanings[i].right) != 0)
            add.allowed |= meanings[i].files;
    add.allowed &= S_ISDIR(st.st_mode) ? known : known & FS_OF_A_FILE;
    add.parent = fd;
    if (add.allowed != 0)
        syscall(SYS_landlock_add_rule, set, RULE_PATH, &add, 0);
}

static void allow_port(int set, uint64_t what, uint16_t port)
{
    struct port_rule add = {.allowed = what, .port = port};
    syscall(SYS_landlock_add_rule, set, RULE_PORT, &add, 0);
}

static void confine_files(const struct sandbox *request, struct sandbox_state *state)
{
    struct ruleset refuse = refused(state->landlock, request);
    size_t size = state->landlock >= 6   ? sizeof(refuse)
                  : state->landlock >= 4 ? offsetof(struct ruleset, scoped)
                                         : offsetof(struct ruleset, ports);
    AUTO_CLOSE int set =
        (int)syscall(SYS_landlock_create_ruleset, &refuse, size, (unsigned)0);
    if (set < 0)
        return;
    for (size_t i = 0; i < request->n_rules; i++)
        allow_path(set, &request->rules[i], refuse.files);
    for (size_t i = 0; refuse.ports != 0 && i < request->n_ports; i++)
        allow_port(set, NET_BIND_TCP, request->ports[i]);
    for (size_t i = 0; (refuse.ports & NET_CONNECT_TCP) != 0 && i < request->n_peers; i++)
        allow_port(set, NET_CONNECT_TCP, request->peers[i]);
    state->files = syscall(SYS_landlock_restrict_self, set, 0) == 0;
    state->ports = state->files && refuse.ports != 0;
}

/* The capabilities that root keeps: other users' files, and low ports. Some of the others
 * could bypass Landlock, such as CAP_PERFMON, which reads other processes' memory. */
static const int kept[] = {
    CAP_CHOWN,      CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
    CAP_FOWNER,     CAP_FSETID,       CAP_NET_BIND_SERVICE,
#if VAULTD_SANITIZED
    CAP_SYS_PTRACE, /* for LeakSanitizer, since the process is not dumpable */
#endif
};

static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3], keep[COUNT_OF(have)];
    memset(keep, 0, sizeof(keep));
    if (syscall(SYS_capget, &head, have) != 0)
        return;
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        unsigned word = CAP_TO_INDEX(kept[i]);
        keep[word].permitted |= have[word].permitted & CAP_TO_MASK(kept[i]);
        keep[word].effective |= have[word].effective & CAP_TO_MASK(kept[i]);
    }
    syscall(SYS_capset, &head, keep);
}

struct sandbox_state sandbox_enter(const struct sandbox *request)
{
    struct sandbox_state state = {.supported = true, .landlock = version()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return state;
    if (!request->all_files)
        drop_capabilities();
    if (state.landlock >= OLDEST && !request->all_files)
        confine_files(request, &state);
    state.calls = sandbox_filter_calls(request->programs);
    return state;
}

bool sandbox_narrow(const struct sandbox *request)
{
    struct sandbox_state state = {.landlock = version()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    if (state.landlock >= OLDEST && !request->all_files)
        confine_files(request, &state);
    bool calls = !request->isolated || sandbox_isolate();
    return state.files && calls;
}

struct sandbox_state sandbox_probe(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;
    int v = version();
    return (struct sandbox_state){
        .supported = true,
        .landlock = v,
        .files = v >= OLDEST,
        .ports = v >= 4,
        .calls = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0};
}
