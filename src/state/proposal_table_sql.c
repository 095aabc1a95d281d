#include "state/proposal_table_sql.h"

PROPOSAL_TABLE_STATEMENTS(STORE_DEFINE)
