/* Stand-in for POSIX threads: dav1d is opened with one thread, so locks are never contended and no thread starts. */
#ifndef WHITTLE_PTHREAD_H
#define WHITTLE_PTHREAD_H

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_mutexattr_t, pthread_cond_t, pthread_condattr_t,
    pthread_once_t;
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_INITIALIZER 0

#define WITHOUT_EFFECT(name, type)                                                                                     \
  static inline int name(type *object) {                                                                               \
    (void)object;                                                                                                      \
    return 0;                                                                                                          \
  }

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                 void *argument) {
  (void)thread, (void)attributes, (void)run, (void)argument;
  return 1;
}
static inline int pthread_join(pthread_t thread, void **result) {
  (void)thread, (void)result;
  return 0;
}
static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes) {
  (void)mutex, (void)attributes;
  return 0;
}
WITHOUT_EFFECT(pthread_mutex_destroy, pthread_mutex_t)
WITHOUT_EFFECT(pthread_mutex_lock, pthread_mutex_t)
WITHOUT_EFFECT(pthread_mutex_unlock, pthread_mutex_t)
static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes) {
  (void)condition, (void)attributes;
  return 0;
}
WITHOUT_EFFECT(pthread_cond_destroy, pthread_cond_t)
WITHOUT_EFFECT(pthread_cond_signal, pthread_cond_t)
WITHOUT_EFFECT(pthread_cond_broadcast, pthread_cond_t)
static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  (void)condition, (void)mutex;
  return 0;
}
WITHOUT_EFFECT(pthread_attr_init, pthread_attr_t)
WITHOUT_EFFECT(pthread_attr_destroy, pthread_attr_t)
static inline int pthread_attr_setstacksize(pthread_attr_t *attributes, unsigned long bytes) {
  (void)attributes, (void)bytes;
  return 0;
}
static inline int pthread_once(pthread_once_t *once, void (*run)(void)) {
  if (!*once) {
    *once = 1;
    run();
  }
  return 0;
}

#endif
