/* dav1d runs with one thread here, where nothing of this has anything to do.
 * No thread can be made, so that a call that asks for one is an error. */
#ifndef RELAIS_PTHREAD_H
#define RELAIS_PTHREAD_H

#include <stddef.h>

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_once_t;

#define PTHREAD_ONCE_INIT 0

#define NOTHING(name, parameters) static inline int name parameters { return 0; }

NOTHING(pthread_attr_init, (pthread_attr_t *a))
NOTHING(pthread_attr_destroy, (pthread_attr_t *a))
NOTHING(pthread_attr_setstacksize, (pthread_attr_t *a, size_t size))
NOTHING(pthread_mutex_init, (pthread_mutex_t *m, const void *a))
NOTHING(pthread_mutex_destroy, (pthread_mutex_t *m))
NOTHING(pthread_mutex_lock, (pthread_mutex_t *m))
NOTHING(pthread_mutex_unlock, (pthread_mutex_t *m))
NOTHING(pthread_cond_init, (pthread_cond_t *c, const void *a))
NOTHING(pthread_cond_destroy, (pthread_cond_t *c))
NOTHING(pthread_cond_signal, (pthread_cond_t *c))
NOTHING(pthread_cond_broadcast, (pthread_cond_t *c))
NOTHING(pthread_join, (pthread_t t, void **result))

static inline int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg) { return 1; }

/* Nobody could ever wake the waiter. */
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { __builtin_trap(); }

static inline int pthread_once(pthread_once_t *done, void (*f)(void)) {
    if (!*done) f();
    return *done = 1, 0;
}

#endif
