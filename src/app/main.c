#include "app/commands.h"
#include "base/hash.h"
#include "base/os/heap.h"
#include "base/os/library.h"
#include "base/os/self.h"

int main(int argc, char **argv)
{
    argv = self_start(&argc, argv);
    heap_set_up();
    library_keep_modules_out();
    hash_keep_modules_out();
    self_init_if_first();
    return commands_run(argc, argv);
}
