/* One thread writes two records in a transaction while another reads both: it sees none of them or both. The database
 * is written through its mapping, with the argument "map", or through its descriptor. */
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <string.h>

static MDB_env *environment;
static MDB_dbi database;

static void put(MDB_txn *transaction, char *key, char *value)
{
    MDB_val k = {strlen(key), key}, v = {strlen(value), value};
    assert(mdb_put(transaction, database, &k, &v, 0) == 0);
}

static int has(MDB_txn *transaction, char *key)
{
    MDB_val k = {strlen(key), key}, v;
    int result = mdb_get(transaction, database, &k, &v);
    assert(result == 0 || result == MDB_NOTFOUND);
    return result == 0;
}

static void *writes(void *unused)
{
    (void)unused;
    MDB_txn *transaction;
    assert(mdb_txn_begin(environment, 0, 0, &transaction) == 0);
    put(transaction, "first", "1");
    put(transaction, "second", "2");
    assert(mdb_txn_commit(transaction) == 0);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned written = argc > 1 && strcmp(argv[1], "map") == 0 ? MDB_WRITEMAP : 0;
    MDB_txn *transaction;
    assert(mdb_env_create(&environment) == 0);
    assert(mdb_env_set_mapsize(environment, 1 << 16) == 0);
    assert(mdb_env_open(environment, "database", MDB_NOSYNC | written, 0664) == 0);
    assert(mdb_txn_begin(environment, 0, 0, &transaction) == 0);
    assert(mdb_dbi_open(transaction, 0, 0, &database) == 0);
    assert(mdb_txn_commit(transaction) == 0);

    pthread_t writer;
    assert(pthread_create(&writer, 0, writes, 0) == 0);
    assert(mdb_txn_begin(environment, 0, MDB_RDONLY, &transaction) == 0);
    assert(has(transaction, "first") == has(transaction, "second"));
    mdb_txn_abort(transaction);
    assert(pthread_join(writer, 0) == 0);
    mdb_env_close(environment);
    return 0;
}
