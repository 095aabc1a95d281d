/* The set of vault-sync: the members that its clients know. */
#include "notes.h"

static void test_vault_sync(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_read", "'path':'Work/Plan.md','offset':7,'limit':1",
         "~{'path':'Work/Plan.md','total_lines':16,'showing':[7,7],'content':'alpha "
         "beta\\n'}"},
        {"vault_read", "'path':'Work/Plan.md','offset':99",
         "=ERROR {\"error\":{\"code\":\"INVALID_RANGE\",\"message\":\"offset 99 is "
         "outside 'Work/Plan.md', which has 16 lines\"}}"},
        {"vault_read", "'path':'Work'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"'Work' is a "
         "folder, not a file\"}}"},
        {"vault_read", "",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"path is "
         "missing: File path relative to vault root\"}}"},
        {"vault_list", "'path':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}"},
        {"vault_list", "",
         "~{'path':'/','entries':[{'name':'Board.md','type':'file','size':71,"},
        {"vault_search", "'query':''",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"nothing to "
         "search for\"}}"},
        {"vault_search", "'query':'zzz'",
         "~{'query':'zzz','total_matches':0,'results':[]}"},
        {"vault_write", "'path':'Work/Log.md','content':'x'",
         "~{'path':'Work/Log.md','created':false,'size':1,'total_lines':1}",
         "Work/Log.md", "x"},
        {"vault_write", "'path':'a/b/c.md','content':'x','create_dirs':false",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"Directory not "
         "found: a/b\"}}",
         "a/b/c.md", NULL},
        {"vault_write", "'path':'../c.md','content':'x'",
         "=ERROR {\"error\":{\"code\":\"PATH_NOT_ALLOWED\",\"message\":\"'..' is not "
         "allowed in a path: give the path from the vault root\"}}"},
        {"vault_edit", "'path':'Work/Log.md','old_text':'alpha','new_text':'x'",
         "=ERROR {\"error\":{\"code\":\"TEXT_NOT_UNIQUE\",\"message\":\"Text appears 2 "
         "times in file, must be unique\"}}",
         "Work/Log.md", "alpha\nalpha\n"},
        {"vault_edit", "'path':'None.md','old_text':'alpha','new_text':'x'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None.md\"}}"},
        {"vault_edit", "'path':'Work/Log.md','old_text':'','new_text':'x'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"the text to "
         "find is empty\"}}",
         "Work/Log.md", "alpha\nalpha\n"},

    };
    check_notes("--tools vault-sync", "", rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vault_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
