/* The program of a worker process: loads the addon, whose path is its first argument, and calls the one function that
 * serves a host. Node.js is not needed for that: the addon finds the functions of Node-API only when Node.js loads it. */

#include <dlfcn.h>
#include <stdio.h>

typedef int (*serve_function)(int argc, char **argv);

int main(int argc, char **argv) {
  if (argc < 2) {
    fputs("ses-executor-worker: started by ses-executor only\n", stderr);
    return 2;
  }
  /* All symbols now: after the sandbox is closed no file can be read. */
  void *addon = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (addon == NULL) {
    fprintf(stderr, "ses-executor-worker: %s\n", dlerror());
    return 3;
  }
  serve_function serve = (serve_function)dlsym(addon, "ses_executor_worker");
  if (serve == NULL) {
    fprintf(stderr, "ses-executor-worker: %s\n", dlerror());
    return 3;
  }
  return serve(argc, argv);
}
