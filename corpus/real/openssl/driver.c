/*
 * What the threads of OpenSSL's threads test do, in two threads, of which one is main: the test itself has three of
 * them, or ten and more. The tests of the original are there as well; the arguments are the same.
 */
#define setup_tests test_setup_tests
#include "threadstest.c"
#undef setup_tests

static int both(void (*worker)(void), int own_context, const char *providers[])
{
    return thread_run_test(worker, 1, worker, own_context, providers);
}

/* The first use of the default context, in both threads (test_multi_default). */
static int test_default(void)
{
    return both(thread_multi_simple_fetch, 0, NULL);
}

/* The same function in a context that is set up (test_multi, 2). */
static int test_fetch(void)
{
    return both(thread_multi_simple_fetch, 1, default_provider);
}

/* A function that was fetched before. */
static int test_fetched(void)
{
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    int success = TEST_ptr(md) && both(thread_multi_simple_fetch, 0, NULL);
    EVP_MD_free(md);
    return success;
}

/* test_multi, 0 */
static int test_general(void)
{
    return both(thread_general_worker, 1, default_provider);
}

/* test_multi, 5 */
static int test_provider(void)
{
    return both(thread_provider_load_unload, 1, default_provider);
}

/* test_multi_load */
static int test_load(void)
{
    return both(test_multi_load_worker, 0, NULL);
}

/* test_multi, 4 */
static int test_pkey(void)
{
    int success;
    shared_evp_pkey = load_pkey_pem(privkey, NULL);
    success = TEST_ptr(shared_evp_pkey) && both(thread_shared_evp_pkey, 0, NULL);
    EVP_PKEY_free(shared_evp_pkey);
    return success;
}

/* test_lib_ctx_load_config */
static int test_config(void)
{
    return both(test_lib_ctx_load_config_worker, 1, default_provider);
}

/* test_x509_store */
static int test_store(void)
{
    int success;
    store = X509_STORE_new();
    success = TEST_ptr(store) && TEST_true(X509_STORE_load_store(store, storedir))
        && both(test_x509_store_by_subject, 0, NULL);
    X509_STORE_free(store);
    return success;
}

/* test_once, where both threads call. */
static int test_once_both(void)
{
    return both(once_run_thread_cb, 0, NULL) && TEST_int_eq(once_run_count, 1);
}

int setup_tests(void)
{
    if (!test_setup_tests())
        return 0;
    ADD_TEST(test_default);
    ADD_TEST(test_fetch);
    ADD_TEST(test_fetched);
    ADD_TEST(test_general);
    ADD_TEST(test_provider);
    ADD_TEST(test_load);
    ADD_TEST(test_pkey);
    ADD_TEST(test_config);
    ADD_TEST(test_store);
    ADD_TEST(test_once_both);
    return 1;
}
