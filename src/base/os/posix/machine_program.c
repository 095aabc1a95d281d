/* Programs in the format of ELF, on a system with /proc. */
#include <elf.h>
#include <link.h>
#include <stdlib.h>

#include "base/os/machine.h"

str machine_program(struct arena *a)
{
    char *self = realpath("/proc/self/exe", NULL);
    str out = arena_str(a, str_c(self));
    free(self);
    return out;
}

struct build {
    void *out;
    size_t size;
};

static void find_build(const char *p, const char *end, const struct build *b)
{
    while (p + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)p;
        size_t name = (note->n_namesz + 3u) & ~3u, data = (note->n_descsz + 3u) & ~3u;
        p += sizeof(*note);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
            memcpy(b->out, p + name, note->n_descsz < b->size ? note->n_descsz : b->size);
        p += name + data;
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *p = (const char *)(info->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE)
            find_build(p, p + segment->p_memsz, arg);
    }
    return 1; /* the first object is the program itself */
}

void machine_build(void *out, size_t size)
{
    dl_iterate_phdr(look_at_object, &(struct build){out, size});
}
