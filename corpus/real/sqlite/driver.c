/* Two threads insert a row each through one connection to a database in memory. */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>

static sqlite3 *database;

static void *inserts(void *statement)
{
    assert(sqlite3_exec(database, statement, 0, 0, 0) == SQLITE_OK);
    return 0;
}

int main(void)
{
    assert(sqlite3_open(":memory:", &database) == SQLITE_OK);
    inserts("CREATE TABLE numbers (value INTEGER)");
    pthread_t other;
    pthread_create(&other, 0, inserts, "INSERT INTO numbers VALUES (1)");
    inserts("INSERT INTO numbers VALUES (2)");
    pthread_join(other, 0);

    sqlite3_stmt *query;
    assert(sqlite3_prepare_v2(database, "SELECT sum(value) FROM numbers", -1, &query, 0) == SQLITE_OK);
    assert(sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0) == 3);
    sqlite3_finalize(query);
    assert(sqlite3_close(database) == SQLITE_OK);
    return 0;
}
